import { BASE_FEE_PER_GAS, type ReceiptRecord } from '@causeway/partner-chain';

/** The gas of a block that was paid with the same tip. */
export interface TippedGas {
  /** Wei for a unit of gas. */
  readonly tip: bigint;
  readonly gas: number;
}

/** What a block's transactions tipped, the least first. */
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
 * @param tips of the block, the least first.
 * @param percentiles 0 … 100, rising.
 * @returns wei for a unit of gas, one for each percentile.
 */
export function rewardsOf(tips: readonly TippedGas[], percentiles: readonly number[]): bigint[] {
  const total = tips.reduce((sum, { gas }) => sum + gas, 0);
  let at = 0;
  let below = tips[0]?.gas ?? 0;
  return percentiles.map((percentile) => {
    const threshold = (total * percentile) / 100;
    while (below < threshold && at < tips.length - 1) {
      at += 1;
      below += tips[at]?.gas ?? 0;
    }
    return tips[at]?.tip ?? 0n;
  });
}
