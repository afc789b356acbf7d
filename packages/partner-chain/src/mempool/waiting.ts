import { BASE_FEE_PER_GAS } from '../fees/fee-schedule.js';
import type { ChainTransaction } from '../transaction/chain-transaction.js';
import { costInUnits } from '../transaction/cost-in-units.js';

/** A transaction in the pool. */
export interface Waiting {
  readonly transaction: ChainTransaction;
  readonly sender: string;
  readonly nonce: bigint;
  /** What the validator gets for a unit of gas, in wei. */
  readonly tip: bigint;
  /** Units of 8 decimals. */
  readonly cost: bigint;
  readonly bytes: number;
  /** Order of arrival, which decides between equal tips. */
  readonly arrival: number;
}

export function waitingOf(transaction: ChainTransaction, arrival: number): Waiting {
  const room = transaction.maxFeePerGas - BASE_FEE_PER_GAS;
  return {
    transaction,
    sender: transaction.sender.toString(),
    nonce: transaction.tx.nonce,
    tip: room < transaction.maxPriorityFeePerGas ? room : transaction.maxPriorityFeePerGas,
    cost: costInUnits(transaction),
    bytes: transaction.raw.length,
    arrival,
  };
}

/** Below zero when the first goes before the second: it pays more, or as much and came first. */
export function compareByTip(a: Waiting, b: Waiting): number {
  if (a.tip !== b.tip) return a.tip > b.tip ? -1 : 1;
  return a.arrival - b.arrival;
}
