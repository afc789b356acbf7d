import { setImmediate } from 'node:timers/promises';
import { PartnerChainError, type PartnerChain } from '@causeway/partner-chain';
import { LRUCache } from 'lru-cache';
import { tipsOf, type TippedGas } from './rewards-of.js';

/** Most different tips (and blocks, each counting for one) that are kept. */
const KEPT = 100_000;
/** How long blocks are read for one answer. What was read by then is kept, so that the next attempt goes on from there. */
const PATIENCE_MS = 5_000;

/** What the transactions of blocks tipped. Wallets ask for the same newest blocks again and again, and a block never changes. */
export class BlockTips {
  readonly #kept = new LRUCache<number, readonly TippedGas[]>({ maxSize: KEPT });

  constructor(private readonly chain: PartnerChain) {}

  /**
   * The tips of several blocks, each the least first. Between two blocks that must be read everything else has its turn.
   *
   * @throws PartnerChainError UNAVAILABLE when it takes too long.
   */
  async of(blockNumbers: readonly number[]): Promise<(readonly TippedGas[])[]> {
    const end = performance.now() + PATIENCE_MS;
    const tips: (readonly TippedGas[])[] = [];
    for (const blockNumber of blockNumbers) {
      if (performance.now() > end)
        throw new PartnerChainError('UNAVAILABLE', 'these blocks are long; ask again, or for fewer');
      if (!this.#kept.has(blockNumber)) await setImmediate();
      tips.push(this.#read(blockNumber));
    }
    return tips;
  }

  #read(blockNumber: number): readonly TippedGas[] {
    const known = this.#kept.get(blockNumber);
    if (known !== undefined) return known;
    const tips = tipsOf(this.chain.reader.receiptRecords(blockNumber));
    this.#kept.set(blockNumber, tips, { size: 1 + tips.length });
    return tips;
  }
}
