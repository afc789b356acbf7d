import type { Hex } from 'viem';
import type { Look } from '../errors.js';
import type { TransferRecord } from './record.js';

/** A transfer whose transaction is mined. Follow it with `watchOperation`. */
export interface SentTransfer {
  readonly state: 'SENT';
  readonly record: TransferRecord;
  readonly originTxHash: Hex;
  /** Set for an intent. */
  readonly intentId?: Hex;
}

/**
 * It is unknown whether a step's transaction was sent: the wallet was asked and may still send it. Nothing was sent
 * now. The user checks the wallet and decides.
 */
export interface UndecidedTransfer {
  readonly state: 'UNDECIDED';
  readonly record: TransferRecord;
  /** The step in words. */
  readonly step: string;
  readonly looks: readonly Look[];
}
