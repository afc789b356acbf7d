import type { Address, Hex } from 'viem';
import type { JournalEntry as JournalModel } from '../generated/prisma/client.js';

/** A transaction as it was signed. Fees in wei per gas. */
export interface SignedTransaction {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** A transaction of the journal, whatever it is for. */
export interface JournalledTransaction extends SignedTransaction {
  readonly purpose: 'DELIVERY' | 'CANCELLATION' | 'RETIREMENT';
  readonly chainId: number;
  readonly sender: Address;
  readonly state: 'PENDING' | 'REPLACED' | 'CONFIRMED' | 'REVERTED';
  readonly createdAt: Date;
}

/** A row of the journal as the rest of the code knows it. */
export function toJournalled({
  txHash,
  operationId: _,
  retirementId: __,
  ...rest
}: JournalModel): JournalledTransaction {
  return { ...rest, hash: txHash as Hex, raw: rest.raw as Hex, sender: rest.sender as Address };
}
