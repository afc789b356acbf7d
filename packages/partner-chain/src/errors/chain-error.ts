/** What can be wrong with a request to the chain; each maps to one JSON-RPC error of the specification. */
export type ChainErrorCode =
  /** A signed transaction that the chain does not take. */
  | 'TRANSACTION_REJECTED'
  /** A call or an estimate that reverted; `data` holds what it returned. */
  | 'EXECUTION_REVERTED'
  /** A value with a fraction of a unit (10^10 wei). */
  | 'DUST'
  /** A parameter that is well-formed and yet impossible. */
  | 'INVALID_PARAMS'
  /** A block that is not there. */
  | 'NOT_FOUND'
  /** The chain cannot answer now: it took too long, or is closing. */
  | 'UNAVAILABLE';

/** The only error the chain throws on purpose. Its message says what is wrong and, where possible, what to do. */
export class ChainError extends Error {
  /** Bytes that a reverted execution returned, as 0x-hex. */
  readonly data: `0x${string}` | undefined;

  constructor(
    readonly code: ChainErrorCode,
    message: string,
    options: { readonly data?: `0x${string}`; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ChainError';
    this.data = options.data;
  }
}
