import { describe, expect, it } from '@jest/globals';
import { toNodeFailure } from './node-errors.js';

const coded = (code: string) => Object.assign(new Error(code), { code });

describe('toNodeFailure', () => {
  it.each([
    ['unreachable', coded('ECONNREFUSED')],
    ['unreachable', new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')])],
    ['unreachable', coded('UND_ERR_CONNECT_TIMEOUT')],
    ['broken', coded('ECONNRESET')],
    ['broken', coded('UND_ERR_SOCKET')],
    ['broken', 'a text instead of an error'],
    ['timeout', coded('UND_ERR_BODY_TIMEOUT')],
    ['oversized', coded('UND_ERR_RES_EXCEEDED_MAX_SIZE')],
  ])('returns %s for %s: only an unsent request may be sent again without a lookup', (kind, error) => {
    expect(toNodeFailure(error)).toMatchObject({ kind });
  });
});
