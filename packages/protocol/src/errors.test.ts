import { describe, expect, it } from '@jest/globals';
import { BridgeError, ERROR_CODES, type ErrorCode, isBridgeError } from './errors.js';

describe('ERROR_CODES', () => {
  // The table of the specification, row by row.
  it.each<[number, ErrorCode]>([
    [400, 'VALIDATION_ERROR'],
    [400, 'BELOW_MINIMUM'],
    [400, 'DEADLINE_EXPIRED'],
    [400, 'SIGNATURE_INVALID'],
    [400, 'SIGNATURE_MISMATCH'],
    [400, 'SIGNATURE_DOMAIN_REJECTED'],
    [403, 'SENDER_MISMATCH'],
    [404, 'OPERATION_NOT_FOUND'],
    [404, 'INTENT_NOT_FOUND'],
    [409, 'INTENT_ALREADY_BOUND'],
    [409, 'INTENT_NOT_PENDING'],
    [409, 'DUPLICATE_ORIGIN_TX'],
    [410, 'INTENT_EXPIRED'],
    [429, 'RATE_LIMIT_EXCEEDED'],
    [503, 'SIGNATURE_VERIFICATION_UNAVAILABLE'],
    [503, 'SERVICE_PAUSED'],
  ])('%i %s', (status, code) => {
    expect(ERROR_CODES[code].httpStatus).toBe(status);
    expect(new BridgeError(code, 'why').toBody()).toEqual({ error: code, message: 'why' });
    expect(new BridgeError(code, 'why').httpStatus).toBe(status);
  });
});

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
