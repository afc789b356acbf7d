import type { Hex } from 'viem';
import type { Look } from '../errors.js';
import type { TransferRecord } from './record.js';

/** A transfer whose transaction is mined. `watch` follows it. */
export interface SentTransfer {
  readonly state: 'SENT';
  readonly record: TransferRecord;
  readonly originTxHash: Hex;
  /** Of an intent. */
  readonly intentId?: Hex;
}

/**
 * Whether the transaction of a step was sent cannot be known: the wallet was asked, and may still send it. Nothing was
 * sent now. The user looks into the wallet and decides.
 */
export interface UndecidedTransfer {
  readonly state: 'UNDECIDED';
  readonly record: TransferRecord;
  /** The step in words. */
  readonly step: string;
  readonly looks: readonly Look[];
}
