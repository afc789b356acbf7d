import { ADMIN_ERROR_CODES, type AdminErrorCode } from './access.js';

/**
 * A failure with a code of the admin API. Failures with a code of the public API, such as VALIDATION_ERROR, are a
 * `BridgeError`. Both have the same body.
 *
 * @example
 * ```ts
 * throw new AdminError('WRONG_STATE', 'Operation 0x12… is COMPLETED: only a DELAYED one can be retried');
 * ```
 */
export class AdminError extends Error {
  override readonly name = 'AdminError';
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: AdminErrorCode,
    message: string,
    details: { readonly cause?: unknown; readonly retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: details.cause });
    this.retryAfterSeconds = details.retryAfterSeconds;
  }

  /** HTTP status of the code. */
  get httpStatus(): number {
    return ADMIN_ERROR_CODES[this.code];
  }

  /** The body of the response. */
  toBody(): { error: AdminErrorCode; message: string } {
    return { error: this.code, message: this.message };
  }
}
