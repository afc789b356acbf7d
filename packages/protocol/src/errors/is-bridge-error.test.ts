import { describe, expect, it } from '@jest/globals';
import { BridgeError } from './bridge-error.js';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';
import { isBridgeError } from './is-bridge-error.js';

const named = (fields: object) => Object.assign(new Error('x'), { name: 'BridgeError' }, fields);

describe('isBridgeError', () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('knows %s, from another copy of the package too', (code) => {
    expect(isBridgeError(new BridgeError(code, 'why'))).toBe(true);
    expect(isBridgeError(named({ code }))).toBe(true);
  });

  it.each<[string, unknown]>([
    ['another error', new Error('x')],
    ['an error of a node, with a code of its own', Object.assign(new Error('x'), { code: 'ECONNRESET' })],
    ['its name alone', named({})],
    ['an unknown code', named({ code: 'TEAPOT' })],
    ['a code every object has', named({ code: 'toString' })],
    ['a number for a code', named({ code: 400 })],
    ['a body', { error: 'VALIDATION_ERROR', message: 'x' }],
    ['null', null],
    ['undefined', undefined],
    ['a string', 'VALIDATION_ERROR'],
  ])('not %s', (_, thrown) => {
    expect(isBridgeError(thrown)).toBe(false);
  });

  it('keeps the cause and the field', () => {
    const cause = new Error('the reason');
    expect(new BridgeError('INTERNAL_ERROR', 'x', { cause }).cause).toBe(cause);
    expect(new BridgeError('VALIDATION_ERROR', 'x', { field: 'limit' }).field).toBe('limit');
    expect(new BridgeError('INTENT_EXPIRED', 'x').field).toBeUndefined();
  });
});
