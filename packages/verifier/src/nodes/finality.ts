import type { QuorumReader } from './quorum-reader.js';

/** A chain of the bridge. */
export type Side = 'ethereum' | 'partner';

/** Decides which blocks are final. States are read at the newest final block. */
export interface Finality {
  /**
   * The newest final block of a chain.
   *
   * @throws NoQuorumError
   */
  finalBlock(side: Side): Promise<bigint>;
}

/** Finality by confirmations below the head that a quorum of nodes has reached. A block counts as its own first one. */
export class ConfirmationFinality implements Finality {
  constructor(
    private readonly readers: Readonly<Record<Side, QuorumReader>>,
    private readonly confirmations: Readonly<Record<Side, number>>,
  ) {}

  async finalBlock(side: Side): Promise<bigint> {
    const final = (await this.readers[side].head()) - BigInt(this.confirmations[side]) + 1n;
    return final < 0n ? 0n : final;
  }
}
