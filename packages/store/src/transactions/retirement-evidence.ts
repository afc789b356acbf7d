import type { Asset } from '@causeway/protocol';
import type { Hex } from 'viem';
import type { Prisma } from '../generated/prisma/client.js';
import { query } from '../sql/query.js';

/**
 * A transaction that a retirement relies on. Blocks are linked by their hashes, so the newest one vouches for all
 * earlier ones.
 */
export interface EvidenceTransaction {
  readonly txHash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
}

/** The newest burn and the newest release of a set of completed withdrawals. */
export interface RetirementEvidence {
  readonly burn: EvidenceTransaction;
  readonly release: EvidenceTransaction;
}

/** Completed, unretired withdrawals of a token. */
export interface WaitingWithdrawals extends RetirementEvidence {
  /** The chain of the burns. */
  readonly chainId: number;
  readonly asset: Asset;
  readonly operationIds: readonly Hex[];
  /** The sum of their amounts in atomic units, fees included. */
  readonly amount: bigint;
  /** Chain time at which the oldest one was completed. */
  readonly oldestSettledAt: Date;
  /** When the token's last failed retirement ended; null when none failed. */
  readonly lastFailedAt: Date | null;
}

/**
 * FROM and WHERE of completed burns whose Withdraw and Release events are both stored. A completed operation keeps its
 * record when a reorg of final blocks removes one of the events; it must not be retired then. Queries can use the
 * columns of `o`, `w` (the Withdraw event) and `r` (the Release event) and add conditions.
 */
export const COMPLETED_BURNS = `
  FROM operation o
  JOIN chain_event w ON w.chain_id = o.origin_chain_id AND w.tx_hash = o.origin_tx_hash AND w.log_index = o.origin_log_index
    AND w.block_hash = o.origin_block_hash AND w.operation_id = o.id AND w.name = 'Withdraw'
  JOIN chain_event r ON r.chain_id = o.destination_chain_id AND r.tx_hash = o.destination_tx_hash
    AND r.operation_id = o.id AND r.name = 'Release'
  WHERE o.status = 'COMPLETED' AND o.kind = 'BURN'`;

/** The columns of an `EvidenceRow` in a query on `COMPLETED_BURNS`. */
export const EVIDENCE_COLUMNS = `w.block_number AS burn_block, w.tx_hash AS burn_tx, w.block_hash AS burn_hash,
  r.block_number AS release_block, r.tx_hash AS release_tx, r.block_hash AS release_hash`;

/** A withdrawal with its burn and its release, as the driver returns it. */
export interface EvidenceRow {
  readonly burn_block: string;
  readonly burn_tx: string;
  readonly burn_hash: string;
  readonly release_block: string;
  readonly release_tx: string;
  readonly release_hash: string;
}

/** The newest burn and the newest release of the given withdrawals; null for none. */
export function newestEvidence(rows: readonly EvidenceRow[]): RetirementEvidence | null {
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

/**
 * Adds withdrawals to a new retirement, in the transaction that journals its call.
 *
 * @returns its id; null if another retirement of the token is pending or a withdrawal is no longer waiting. The
 *   caller's transaction must then fail.
 */
export async function joinRetirement(
  tx: Prisma.TransactionClient,
  wallet: { readonly chainId: number },
  { chainId, asset, amount, operationIds }: WaitingWithdrawals,
): Promise<bigint | null> {
  if (wallet.chainId !== chainId)
    throw new Error(`A wallet of chain ${wallet.chainId} cannot retire tokens of chain ${chainId}`);
  // A concurrent insert for the same token blocks here until the other transaction ends, and conflicts if it commits.
  const [retirement] = await tx.retirement.createManyAndReturn({
    data: { chainId, asset, amount: amount.toString() },
    skipDuplicates: true,
  });
  if (retirement === undefined) return null;
  const joined = await query(tx, {
    text: `INSERT INTO retired_operation (operation_id, retirement_id)
     SELECT o.id, $1::bigint ${COMPLETED_BURNS} AND o.origin_chain_id = $2 AND o.asset = $3::"Asset" AND o.id = ANY ($4)
     ORDER BY o.id ON CONFLICT DO NOTHING RETURNING operation_id`,
    values: [retirement.id, chainId, asset, operationIds],
  });
  return joined.length === operationIds.length ? retirement.id : null;
}

/** Ends a retirement after its call. After a failure, the withdrawals wait for another retirement. */
export async function endRetirement(tx: Prisma.TransactionClient, id: bigint, hasSucceeded: boolean): Promise<void> {
  const { count } = await tx.retirement.updateMany({
    where: { id, state: 'PENDING' },
    data: { state: hasSucceeded ? 'CONFIRMED' : 'FAILED', endedAt: new Date() },
  });
  if (count === 1 && !hasSucceeded) await tx.retiredOperation.deleteMany({ where: { retirementId: id } });
}
