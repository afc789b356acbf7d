import { describe, expect, it } from '@jest/globals';
import { parseSearch, pickParams, stringifySearch } from './search-params.js';

describe('the parameters of a URL', () => {
  it('stay text even if they look like numbers or JSON', () => {
    const search = { cursor: '1e5', search: '0x12', from: 'null' };
    expect(parseSearch(stringifySearch(search))).toEqual(search);
  });

  it('are omitted if they are empty', () => {
    expect(stringifySearch({ status: '', cursor: undefined })).toBe('');
    expect(stringifySearch({ status: 'DELAYED', cursor: '' })).toBe('?status=DELAYED');
  });

  it('survive any text', () => {
    const hostile = { search: '<script>&status=COMPLETED#%' };
    expect(parseSearch(stringifySearch(hostile))).toEqual(hostile);
  });

  it('are only those that the page knows', () => {
    expect(pickParams('status', 'cursor')({ status: 'DELAYED', admin: 'yes', cursor: '' })).toEqual({
      status: 'DELAYED',
    });
  });
});
