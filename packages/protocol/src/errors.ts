/**
 * Every error code of the REST API with its HTTP status: the 16 of the specification (Errors), and then those for
 * requests that reach no endpoint, and for failures of the service.
 */
export const ERROR_CODES = {
  VALIDATION_ERROR: { httpStatus: 400, meaning: 'Malformed or missing parameter; the message names the field.' },
  BELOW_MINIMUM: { httpStatus: 400, meaning: 'Amount below the minimum of the token.' },
  DEADLINE_EXPIRED: { httpStatus: 400, meaning: 'Intent deadline already in the past.' },
  SIGNATURE_INVALID: {
    httpStatus: 400,
    meaning: 'Signature malformed, unrecoverable, not in canonical form, or refused by the smart account.',
  },
  SIGNATURE_MISMATCH: { httpStatus: 400, meaning: 'Signature is of another address than senderAddress.' },
  SIGNATURE_DOMAIN_REJECTED: { httpStatus: 400, meaning: 'Signature was made for another chain, contract or version.' },
  SENDER_MISMATCH: { httpStatus: 403, meaning: 'senderAddress differs from the original signer.' },
  OPERATION_NOT_FOUND: { httpStatus: 404, meaning: 'No operation has the identifier; the message says why.' },
  INTENT_NOT_FOUND: { httpStatus: 404, meaning: 'No intent with this intentId.' },
  INTENT_ALREADY_BOUND: { httpStatus: 409, meaning: 'Intent is bound to a different transaction.' },
  INTENT_NOT_PENDING: { httpStatus: 409, meaning: 'Intent has progressed already.' },
  DUPLICATE_ORIGIN_TX: { httpStatus: 409, meaning: 'Transaction is bound to another intent.' },
  INTENT_EXPIRED: { httpStatus: 410, meaning: 'The window of the signed intent has passed.' },
  RATE_LIMIT_EXCEEDED: { httpStatus: 429, meaning: 'Too many requests.' },
  SIGNATURE_VERIFICATION_UNAVAILABLE: {
    httpStatus: 503,
    meaning: 'The smart account is not deployed yet, or cannot be asked now; retry after 1 to 5 seconds.',
  },
  SERVICE_PAUSED: { httpStatus: 503, meaning: 'New XCN intents are temporarily disabled.' },
  NOT_FOUND: { httpStatus: 404, meaning: 'No such endpoint.' },
  METHOD_NOT_ALLOWED: { httpStatus: 405, meaning: 'The endpoint has other methods: see Allow.' },
  REQUEST_TIMEOUT: { httpStatus: 408, meaning: 'The request took too long to arrive.' },
  PAYLOAD_TOO_LARGE: { httpStatus: 413, meaning: 'The body is too large.' },
  URI_TOO_LONG: { httpStatus: 414, meaning: 'The address is too long.' },
  UNSUPPORTED_MEDIA_TYPE: { httpStatus: 415, meaning: 'The body is not application/json, or it is compressed.' },
  HEADERS_TOO_LARGE: { httpStatus: 431, meaning: 'The address and the headers together are too long.' },
  INTERNAL_ERROR: { httpStatus: 500, meaning: 'A fault of the service; nothing was changed.' },
  SERVICE_UNAVAILABLE: { httpStatus: 503, meaning: 'The database or a node does not answer; retry shortly.' },
} as const;

/** One of the codes. */
export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * A failure with a code of the specification. `field`: the field at fault, if there is one. `retryAfterSeconds`: when
 * the same request may succeed, if that is known.
 *
 * @example
 * ```ts
 * throw new BridgeError('VALIDATION_ERROR', 'limit must be at most 100', { field: 'limit' });
 * ```
 */
export class BridgeError extends Error {
  override readonly name = 'BridgeError';
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: { readonly field?: string; readonly cause?: unknown; readonly retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: details.cause });
    this.field = details.field;
    this.retryAfterSeconds = details.retryAfterSeconds;
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

/**
 * Whether a thrown value is a {@link BridgeError}. It compares name and code instead of using `instanceof`, so that an
 * error of a second installed copy of this package counts too.
 *
 * @example
 * ```ts
 * if (isBridgeError(error)) reply.status(error.httpStatus).send(error.toBody());
 * ```
 */
export function isBridgeError(thrown: unknown): thrown is BridgeError {
  if (!(thrown instanceof Error) || thrown.name !== 'BridgeError' || !('code' in thrown)) return false;
  return typeof thrown.code === 'string' && Object.hasOwn(ERROR_CODES, thrown.code);
}
