import type { Hex } from 'viem';
import type { EvidenceTransaction, RetirementEvidence } from './waiting-withdrawals.js';

/** A withdrawal with its burn and its release, as the database gives them. */
export interface BurnRow {
  readonly burn_block: string;
  readonly burn_tx: string;
  readonly burn_hash: string;
  readonly release_block: string;
  readonly release_tx: string;
  readonly release_hash: string;
}

/** The columns of a `BurnRow`, of the tables of COMPLETED_BURNS. */
export const BURN_COLUMNS = `w.block_number AS burn_block, w.tx_hash AS burn_tx, w.block_hash AS burn_hash,
  r.block_number AS release_block, r.tx_hash AS release_tx, r.block_hash AS release_hash`;

/** The newest burn and the newest release of withdrawals; null when there are none. */
export function newestOf(rows: readonly BurnRow[]): RetirementEvidence | null {
  const burn = newest(rows.map((row) => [BigInt(row.burn_block), row.burn_tx, row.burn_hash]));
  const release = newest(rows.map((row) => [BigInt(row.release_block), row.release_tx, row.release_hash]));
  return burn === null || release === null ? null : { burn, release };
}

function newest(seen: readonly (readonly [bigint, string, string])[]): EvidenceTransaction | null {
  const [first, ...others] = seen;
  if (first === undefined) return null;
  let last = first;
  for (const other of others) if (other[0] > last[0]) last = other;
  return { txHash: last[1] as Hex, blockNumber: last[0], blockHash: last[2] as Hex };
}
