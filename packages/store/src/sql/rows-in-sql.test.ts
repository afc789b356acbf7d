import { describe, expect, it } from '@jest/globals';
import { rowsInSql } from './rows-in-sql.js';

describe('rowsInSql', () => {
  it('has one array per column, in the order of the types', () => {
    const { text, values } = rowsInSql({ name: 'text', count: 'int', at: 'timestamptz' }, [
      { count: 1, name: 'a', at: new Date(0) },
      { count: 2, name: 'b', at: null },
    ]);
    expect(text).toBe('unnest($1::text[],$2::int[],$3::timestamptz[]) AS rows ("name", "count", "at")');
    expect(values).toEqual(['{"a","b"}', '{1,2}', '{"1970-01-01T00:00:00.000Z",null}']);
  });

  it.each([
    ['quotes', '{"a":"b"}', '{"{\\"a\\":\\"b\\"}"}'],
    ['backslashes', 'a\\nb\\', '{"a\\\\nb\\\\"}'],
    ['array delimiters', '},{', '{"},{"}'],
    ['the word NULL', 'NULL', '{"NULL"}'],
  ])('keeps %s of a text', (_, text, literal) => {
    expect(rowsInSql({ text: 'text' }, [{ text }]).values).toEqual([literal]);
  });

  it.each(['\n', 'a\tb', '\\\u0001', '\ud800'])(
    'refuses the control character in %j, which would be altered',
    (text) => {
      expect(() => rowsInSql({ text: 'text' }, [{ text }])).toThrow(RangeError);
    },
  );
});
