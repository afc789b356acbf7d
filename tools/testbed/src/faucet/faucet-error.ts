/** HTTP status of each failure, and the seconds to wait before a retry. */
const FAILURES = {
  INVALID_REQUEST: [400],
  UNKNOWN_ASSET: [400],
  INVALID_ADDRESS: [400],
  ZERO_ADDRESS: [400],
  NOT_FOUND: [404],
  TRANSFER_REFUSED: [422],
  LIMIT_REACHED: [429],
  INTERNAL_ERROR: [500],
  TRANSACTION_FAILED: [502],
  FAUCET_EMPTY: [503, 3_600],
  CHAIN_UNAVAILABLE: [503, 30],
} as const;

/** Clients decide by this code. */
export type FailureCode = keyof typeof FAILURES;

/** A request that the faucet refused or could not serve. The message is for people. */
export class FaucetError extends Error {
  override readonly name = 'FaucetError';
  readonly status: number;
  /** Null when a retry would not help. */
  readonly retryAfterSeconds: number | null;

  constructor(
    readonly code: FailureCode,
    message: string,
    options: ErrorOptions & { readonly retryAfterSeconds?: number } = {},
  ) {
    super(message, options);
    const [status, seconds = null] = FAILURES[code] as readonly [number, number?];
    this.status = status;
    this.retryAfterSeconds = options.retryAfterSeconds ?? seconds;
  }
}
