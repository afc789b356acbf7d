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
export function toJournalled(row: JournalModel): JournalledTransaction {
  return {
    hash: row.txHash as Hex,
    raw: row.raw as Hex,
    nonce: row.nonce,
    gas: row.gas,
    maxFeePerGas: row.maxFeePerGas,
    maxPriorityFeePerGas: row.maxPriorityFeePerGas,
    purpose: row.purpose,
    chainId: row.chainId,
    sender: row.sender as Address,
    state: row.state,
    createdAt: row.createdAt,
  };
}
