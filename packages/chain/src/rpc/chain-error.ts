/** The cause of a chain failure, for metrics and operators. */
type ChainErrorCode =
  | 'WRONG_CHAIN'
  | 'INCONSISTENT_BLOCK'
  | 'REORG_TOO_DEEP'
  | 'UNSUPPORTED_TRANSACTION'
  | 'NODE_UNAVAILABLE'
  | 'NODE_REFUSED';

/** A failure while working with a chain. `retryable`: the same request may succeed a moment later. */
export abstract class ChainError extends Error {
  abstract readonly retryable: boolean;
  abstract readonly code: ChainErrorCode;
}

/** The node serves another chain than the configured one. */
export class WrongChainError extends ChainError {
  override readonly name = 'WrongChainError';
  readonly retryable = false;
  readonly code = 'WRONG_CHAIN';
  constructor(url: string, expected: number, found: number) {
    super(
      `${new URL(url).origin} is a node of chain ${found}, but chain ${expected} was expected: check the RPC addresses`,
    );
  }
}

/** The answers of a node contradict each other: it is faulty, or a reorg happened between two requests. */
export class InconsistentBlockError extends ChainError {
  override readonly name = 'InconsistentBlockError';
  readonly retryable = true;
  readonly code = 'INCONSISTENT_BLOCK';
  constructor(
    readonly blockNumber: bigint,
    readonly contradiction: string,
  ) {
    super(`Block ${blockNumber} contradicts itself: ${contradiction}`);
  }
}

/** No common ancestor was found within the searched depth. `depth`: number of stored blocks that were compared. */
export class ReorgTooDeepError extends ChainError {
  override readonly name = 'ReorgTooDeepError';
  readonly retryable = false;
  readonly code = 'REORG_TOO_DEEP';
  constructor(readonly depth: number) {
    super(`The last ${depth} blocks that were read are no longer on the chain: a reorg this deep needs an operator`);
  }
}

/** A block contains a transaction of an unknown type, so its transactions cannot be verified. */
export class UnsupportedTransactionError extends ChainError {
  override readonly name = 'UnsupportedTransactionError';
  readonly retryable = false;
  readonly code = 'UNSUPPORTED_TRANSACTION';
  constructor(
    readonly type: string,
    readonly transactionHash: string,
  ) {
    super(`Transaction ${transactionHash} has type ${type}; this version can only verify the types 0 to 4`);
  }
}

/** No node answered: it is down, too slow, limits requests, or has an internal fault. */
export class NodeUnavailableError extends ChainError {
  override readonly name = 'NodeUnavailableError';
  readonly retryable = true;
  readonly code = 'NODE_UNAVAILABLE';
  constructor(
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`No answer from the node: ${reason}`, options);
  }
}

/** The node answered with an error. `rpcCode`, `reason` and `data` are the code, message and data of its answer. */
export class NodeRefusedError extends ChainError {
  override readonly name = 'NodeRefusedError';
  readonly retryable = false;
  readonly code = 'NODE_REFUSED';
  constructor(
    readonly rpcCode: number,
    readonly reason: string,
    readonly data: unknown,
    options?: ErrorOptions,
  ) {
    super(`The node refused (${rpcCode}): ${reason}`, options);
  }
}
