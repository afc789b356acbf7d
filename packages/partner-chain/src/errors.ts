/** Error codes of requests to the chain. Each maps to one JSON-RPC error of the specification. */
export type PartnerChainErrorCode =
  /** The chain rejects a signed transaction. */
  | 'TRANSACTION_REJECTED'
  /** A call or an estimate that reverted; `data` holds the bytes it returned. */
  | 'EXECUTION_REVERTED'
  /** A value with a fraction of a unit (10^10 wei). */
  | 'DUST'
  /** A parameter that is well-formed but impossible. */
  | 'INVALID_PARAMS'
  /** A block that does not exist. */
  | 'NOT_FOUND'
  /** A search with too many results or too long a duration. The message names a block range that would work. */
  | 'TOO_MANY_RESULTS'
  /** The chain cannot answer now: a request took too long, or the chain is closing. */
  | 'UNAVAILABLE'
  /** The directory cannot be opened with these options, on this machine, at this time. Never the error of a request. */
  | 'UNUSABLE_DIRECTORY';

/** The only error that the chain throws on purpose. Its message says what failed and, where possible, what to do. */
export class PartnerChainError extends Error {
  /** Return data of a reverted execution, as 0x-hex. */
  readonly data: `0x${string}` | undefined;

  constructor(
    readonly code: PartnerChainErrorCode,
    message: string,
    options: { readonly data?: `0x${string}`; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'PartnerChainError';
    this.data = options.data;
  }
}

/** Creates a TRANSACTION_REJECTED error. */
export function rejected(message: string, cause?: unknown): PartnerChainError {
  return new PartnerChainError('TRANSACTION_REJECTED', message, { cause });
}

/**
 * The EVM itself failed on a transaction. This is a bug of the program, not an error of the sender. Do not use the EVM
 * instance again.
 */
export class ExecutionFault extends Error {
  constructor(
    readonly transactionHash: `0x${string}`,
    cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`the EVM failed on transaction ${transactionHash}: ${reason}`, { cause });
    this.name = 'ExecutionFault';
  }
}
