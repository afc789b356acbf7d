import { feeInUnits } from '../units/fee-in-units.js';
import type { ChainTransaction } from './chain-transaction.js';

/** The most a transaction can take from its sender, in units of 8 decimals: its value and the whole of its gas at the highest price it offers. */
export function costInUnits(transaction: ChainTransaction): bigint {
  return transaction.valueUnits + feeInUnits(transaction.tx.gasLimit * transaction.maxFeePerGas);
}
