import type { Asset } from '@causeway/protocol';
import type { Hex } from 'viem';

/** Where something was seen that many operations rest on. Blocks read are linked by their hashes: it stands for all before. */
export interface EvidenceTransaction {
  readonly txHash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
}

/** The newest burn and the newest release of some completed withdrawals. */
export interface RetirementEvidence {
  readonly burn: EvidenceTransaction;
  readonly release: EvidenceTransaction;
}

/** Completed withdrawals of a token that were not retired yet. */
export interface WaitingWithdrawals extends RetirementEvidence {
  /** Where they were burnt. */
  readonly chainId: number;
  readonly asset: Asset;
  readonly operationIds: readonly Hex[];
  /** What they handed in, in atomic units, fees included. */
  readonly amount: bigint;
  /** Chain time at which the oldest was completed. */
  readonly oldestSettledAt: Date;
  /** When the last retirement of the token failed; null when none did. */
  readonly lastFailedAt: Date | null;
}
