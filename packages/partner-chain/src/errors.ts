/** The faults of a request to the chain. Each code maps to one JSON-RPC error of the specification. */
export type PartnerChainErrorCode =
  /** A signed transaction that the chain does not accept. */
  | 'TRANSACTION_REJECTED'
  /** A call or an estimate that reverted; `data` holds the bytes it returned. */
  | 'EXECUTION_REVERTED'
  /** A value with a fraction of a unit (10^10 wei). */
  | 'DUST'
  /** A parameter that is well-formed but impossible. */
  | 'INVALID_PARAMS'
  /** A block that does not exist. */
  | 'NOT_FOUND'
  /** A search that finds or takes too much. The message names a range of blocks that would work. */
  | 'TOO_MANY_RESULTS'
  /** The chain cannot answer now: it took too long, or is closing. */
  | 'UNAVAILABLE'
  /** The directory cannot be opened with these options, on this machine, at this time. No request fails with it. */
  | 'UNUSABLE_DIRECTORY';

/** The only error the chain throws on purpose. Its message names the fault and, where possible, what to do. */
export class PartnerChainError extends Error {
  /** Bytes that a reverted execution returned, as 0x-hex. */
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

/** A TRANSACTION_REJECTED error. */
export function rejected(message: string, cause?: unknown): PartnerChainError {
  return new PartnerChainError('TRANSACTION_REJECTED', message, { cause });
}

/**
 * The EVM itself broke at a transaction. This is a fault of the program, not of the sender. The EVM instance that
 * broke must not be used again.
 */
export class ExecutionFault extends Error {
  constructor(
    readonly transactionHash: `0x${string}`,
    cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`the EVM broke at transaction ${transactionHash}: ${reason}`, { cause });
    this.name = 'ExecutionFault';
  }
}
