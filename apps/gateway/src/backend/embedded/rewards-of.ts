import { BASE_FEE_PER_GAS, type StoredReceipt } from '@causeway/partner-chain';

/**
 * The tips at percentiles of a block's gas, the transactions in order of what they tipped (eth_feeHistory). 0 for an empty block.
 *
 * @param percentiles 0 … 100, rising.
 * @returns wei per gas, one for each percentile.
 */
export function rewardsOf(
  receipts: readonly Pick<StoredReceipt, 'effectiveGasPrice' | 'gasUsed'>[],
  percentiles: readonly number[],
): bigint[] {
  const tips = receipts
    .map(({ effectiveGasPrice, gasUsed }) => ({ tip: effectiveGasPrice - BASE_FEE_PER_GAS, gasUsed }))
    .toSorted((a, b) => Number(a.tip - b.tip));
  const total = tips.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
  return percentiles.map((percentile) => {
    const threshold = (Number(total) * percentile) / 100;
    let gas = 0;
    for (const { tip, gasUsed } of tips) {
      gas += Number(gasUsed);
      if (gas >= threshold) return tip;
    }
    return tips.at(-1)?.tip ?? 0n;
  });
}
