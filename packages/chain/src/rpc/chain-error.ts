/** A failure of a node. `retryable`: the same question may be answered well a moment later. */
export abstract class ChainError extends Error {
  abstract readonly retryable: boolean;
}

/** The node is of another chain than configured. */
export class WrongChainError extends ChainError {
  override readonly name = 'WrongChainError';
  readonly retryable = false;
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
  constructor(
    readonly blockNumber: bigint,
    readonly what: string,
  ) {
    super(`Block ${blockNumber} contradicts itself: ${what}`);
  }
}

/** No common block was found in the depth that is searched. */
export class ReorgTooDeepError extends ChainError {
  override readonly name = 'ReorgTooDeepError';
  readonly retryable = false;
  constructor(depth: number) {
    super(`The last ${depth} blocks that were read are not on the chain any more: a reorg this deep needs an operator`);
  }
}
