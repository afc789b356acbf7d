/** What went wrong with a node, for metrics and for operators. */
export type ChainErrorCode =
  | 'WRONG_CHAIN'
  | 'INCONSISTENT_BLOCK'
  | 'REORG_TOO_DEEP'
  | 'UNSUPPORTED_TRANSACTION'
  | 'NODE_UNAVAILABLE'
  | 'NODE_REFUSED';

/** A failure of a node. `retryable`: the same question may be answered well a moment later. */
export abstract class ChainError extends Error {
  abstract readonly retryable: boolean;
  abstract readonly code: ChainErrorCode;
}

/** The node is of another chain than configured. */
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

/** What the node said contradicts itself: it lies, or it changed its mind while it was asked. Nothing of it counts. */
export class InconsistentBlockError extends ChainError {
  override readonly name = 'InconsistentBlockError';
  readonly retryable = true;
  readonly code = 'INCONSISTENT_BLOCK';
  constructor(
    readonly blockNumber: bigint,
    readonly what: string,
  ) {
    super(`Block ${blockNumber} contradicts itself: ${what}`);
  }
}

/** No common block was found in the depth that is searched. `depth`: how many stored blocks were compared. */
export class ReorgTooDeepError extends ChainError {
  override readonly name = 'ReorgTooDeepError';
  readonly retryable = false;
  readonly code = 'REORG_TOO_DEEP';
  constructor(readonly depth: number) {
    super(`The last ${depth} blocks that were read are not on the chain any more: a reorg this deep needs an operator`);
  }
}

/** A block holds a transaction of a type that is not known here, so its transactions cannot be checked. */
export class UnsupportedTransactionError extends ChainError {
  override readonly name = 'UnsupportedTransactionError';
  readonly retryable = false;
  readonly code = 'UNSUPPORTED_TRANSACTION';
  constructor(
    readonly type: string,
    readonly transactionHash: string,
  ) {
    super(`Transaction ${transactionHash} has the type ${type}, which this version cannot check: it knows 0 to 4`);
  }
}

/** No node gave an answer: it is down, too slow, limits requests, or has an inner fault. */
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

/** The node answered with an error. `rpcCode` and `data` as in its answer; `reason`: its words. */
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
