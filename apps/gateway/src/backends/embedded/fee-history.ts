import { setImmediate } from 'node:timers/promises';
import {
  BASE_FEE_PER_GAS,
  PartnerChainError,
  FEE_LEVELS,
  type PartnerChain,
  type ReceiptRecord,
} from '@causeway/partner-chain';
import { LRUCache } from 'lru-cache';
import { findBlockNumber, type BlockParam } from './block-lookup.js';
import { quantity } from './hex.js';

/** Blocks in one answer of eth_feeHistory, at most, as in geth. */
const MAX_BLOCKS = 1_024;

/** Methods about prices. The suggested price is the standard level of the fee schedule. */
export function feeHandlers(chain: PartnerChain) {
  const tips = new BlockTips(chain);
  return {
    eth_gasPrice: () => quantity(FEE_LEVELS.standard.gasPrice),
    eth_maxPriorityFeePerGas: () => quantity(FEE_LEVELS.standard.maxPriorityFeePerGas),
    eth_feeHistory: async (blockCount: `0x${string}`, newest: BlockParam, percentiles: readonly number[] = []) => {
      const last = findBlockNumber(chain, newest);
      if (last === null) throw new PartnerChainError('NOT_FOUND', 'the newest block asked for is not there');
      const asked = Number(BigInt.asUintN(53, BigInt(blockCount)));
      const count = Math.min(asked, MAX_BLOCKS, last + 1);
      const numbers = Array.from({ length: count }, (_, index) => last - count + 1 + index);
      const headers = numbers.map((blockNumber) => chain.reader.block(blockNumber)?.header);
      return {
        oldestBlock: quantity(last - count + 1),
        baseFeePerGas: Array.from({ length: count + 1 }, () => quantity(BASE_FEE_PER_GAS)),
        gasUsedRatio: headers.map((header) =>
          header === undefined ? 0 : Number(header.gasUsed) / Number(header.gasLimit),
        ),
        // Like geth, without percentiles there are no rewards.
        ...(percentiles.length === 0
          ? {}
          : { reward: (await tips.of(numbers)).map((each) => rewardsOf(each, percentiles).map(quantity)) }),
      };
    },
  };
}

/** Different tips that are kept, at most; each block counts as one more. */
const MAX_KEPT_TIPS = 100_000;
/** Time limit for one answer. The blocks read by then are kept, so that the next attempt continues from there. */
const MAX_READ_MS = 5_000;

/** Cache of the tips of blocks: wallets ask for the same newest blocks repeatedly, and a block never changes. */
class BlockTips {
  private readonly kept = new LRUCache<number, readonly TippedGas[]>({ maxSize: MAX_KEPT_TIPS });

  constructor(private readonly chain: PartnerChain) {}

  /**
   * The tips of several blocks, each in rising order. Other work goes first between two blocks that must be read.
   *
   * @throws PartnerChainError UNAVAILABLE when it takes too long.
   */
  async of(blockNumbers: readonly number[]): Promise<(readonly TippedGas[])[]> {
    const end = performance.now() + MAX_READ_MS;
    const tips: (readonly TippedGas[])[] = [];
    for (const blockNumber of blockNumbers) {
      if (performance.now() > end)
        throw new PartnerChainError('UNAVAILABLE', 'these blocks are long; ask again, or for fewer');
      if (!this.kept.has(blockNumber)) await setImmediate();
      tips.push(this.read(blockNumber));
    }
    return tips;
  }

  private read(blockNumber: number): readonly TippedGas[] {
    const known = this.kept.get(blockNumber);
    if (known !== undefined) return known;
    const tips = tipsOf(this.chain.reader.receiptRecords(blockNumber));
    this.kept.set(blockNumber, tips, { size: 1 + tips.length });
    return tips;
  }
}

/** The gas of a block that was paid with the same tip. */
interface TippedGas {
  /** Wei for a unit of gas. */
  readonly tip: bigint;
  readonly gas: number;
}

/** The tips of a block's transactions, in rising order. */
export function tipsOf(receipts: readonly Pick<ReceiptRecord, 'effectiveGasPrice' | 'gasUsed'>[]): TippedGas[] {
  const gasByTip = new Map<bigint, number>();
  for (const { effectiveGasPrice, gasUsed } of receipts) {
    const tip = effectiveGasPrice - BASE_FEE_PER_GAS;
    gasByTip.set(tip, (gasByTip.get(tip) ?? 0) + Number(gasUsed));
  }
  return [...gasByTip].map(([tip, gas]) => ({ tip, gas })).toSorted((a, b) => Number(a.tip - b.tip));
}

/**
 * The tips at percentiles of a block's gas (eth_feeHistory). 0 for an empty block.
 *
 * @param tips of the block, in rising order.
 * @param percentiles 0 … 100, rising.
 * @returns wei for a unit of gas, one for each percentile.
 */
export function rewardsOf(tips: readonly TippedGas[], percentiles: readonly number[]): bigint[] {
  const total = tips.reduce((sum, { gas }) => sum + gas, 0);
  let index = 0;
  let gasUpTo = tips[0]?.gas ?? 0;
  return percentiles.map((percentile) => {
    const threshold = (total * percentile) / 100;
    while (gasUpTo < threshold && index < tips.length - 1) {
      index += 1;
      gasUpTo += tips[index]?.gas ?? 0;
    }
    return tips[index]?.tip ?? 0n;
  });
}
