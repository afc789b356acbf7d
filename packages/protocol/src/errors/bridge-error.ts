import { ERROR_CODES, type ErrorCode } from './error-codes.js';

/** What goes with a code: the offending field, if one is at fault, and the cause. */
export interface BridgeErrorDetails {
  readonly field?: string;
  readonly cause?: unknown;
}

/**
 * A failure with a code of the specification.
 *
 * @example
 * ```ts
 * throw new BridgeError('VALIDATION_ERROR', 'limit must be at most 100', { field: 'limit' });
 * ```
 */
export class BridgeError extends Error {
  override readonly name = 'BridgeError';
  readonly field: string | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: BridgeErrorDetails = {},
  ) {
    super(message, { cause: details.cause });
    this.field = details.field;
  }

  /** HTTP status of the code. */
  get httpStatus(): number {
    return ERROR_CODES[this.code].httpStatus;
  }

  /** The body of the response (specification, Errors). */
  toBody(): { error: ErrorCode; message: string } {
    return { error: this.code, message: this.message };
  }
}
