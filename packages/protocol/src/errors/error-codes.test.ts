import { describe, expect, it } from '@jest/globals';
import { BridgeError } from './bridge-error.js';
import { ERROR_CODES, type ErrorCode } from './error-codes.js';

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
