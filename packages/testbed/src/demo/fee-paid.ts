import { feeInUnits, WEI_PER_UNIT } from '@causeway/partner-chain';
import type { Side } from '@causeway/protocol';
import type { TransactionReceipt } from 'viem';

/** What the sender of a transaction paid for its gas, in wei. The partner chain takes whole units of 8 decimals, rounded up. */
export function feePaid(side: Side, { gasUsed, effectiveGasPrice }: TransactionReceipt): bigint {
  const fee = gasUsed * effectiveGasPrice;
  return side === 'partner' ? feeInUnits(fee) * WEI_PER_UNIT : fee;
}
