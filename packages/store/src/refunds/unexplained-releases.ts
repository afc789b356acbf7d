import type { Asset } from '@causeway/protocol';
import type { Hex } from 'viem';
import { query } from '../sql/query.js';

/** A release that pays no known operation, or one that is not owed, as after the restore of an old backup. */
export interface UnexplainedRelease {
  readonly operationId: Hex;
  /** Amount plus fee, in atomic units. */
  readonly paid: bigint;
}

/** Characters of an id that name a release in a reason. A reason has room for 40 such names. */
const NAME_LENGTH = 10;

/**
 * Reads all releases without an operation, or whose intent FAILED or EXPIRED, including those without a verdict of the
 * watch.
 */
export async function findUnexplainedReleases(place: Parameters<typeof query>[0]): Promise<UnexplainedRelease[]> {
  const rows = await query<{ operation_id: Hex; paid: string }>(place, {
    name: 'releases-unexplained',
    // Two parts, because each has a small partial index. LATERAL, so that each operation is looked up by its id.
    text: `WITH unmatched AS (
        SELECT name, operation_id, args, block_number, log_index FROM chain_event
          WHERE verdict IN ('UNKNOWN', 'ACCEPTED')
        UNION ALL SELECT name, operation_id, args, block_number, log_index FROM chain_event
          WHERE verdict IS NULL AND name IN ('Mint', 'Release', 'Refunded'))
      SELECT e.operation_id, ((e.args->>'amount')::numeric + (e.args->>'fee')::numeric)::text AS paid
      FROM unmatched e LEFT JOIN LATERAL (SELECT id, status FROM operation WHERE id = e.operation_id OFFSET 0) o ON true
      WHERE e.name = 'Release' AND (o.id IS NULL OR o.status IN ('FAILED', 'EXPIRED'))
      ORDER BY e.block_number, e.log_index`,
  });
  return rows.map((row) => ({ operationId: row.operation_id, paid: BigInt(row.paid) }));
}

/** The releases that may already have paid a refund's transfer: amount plus fee equal its amount. */
export function selectMaybePaidBy(
  { asset, amount }: { readonly asset: Asset; readonly amount: bigint },
  releases: readonly UnexplainedRelease[],
): Hex[] {
  if (asset !== 'XCN') return [];
  return releases.filter(({ paid }) => paid === amount).map(({ operationId }) => operationId);
}

/** Why a refund must not be approved although these releases may have paid it; null when its reason names each one. */
export function findUnnamedRelease(maybePaidBy: readonly Hex[], reason: string): string | null {
  const unnamed = maybePaidBy.find((id) => !reason.toLowerCase().includes(id.slice(0, NAME_LENGTH)));
  if (unnamed === undefined) return null;
  return (
    `The release ${unnamed} may already have paid this transfer: compare both. If it paid another one, approve with ` +
    `its first ten characters in the reason (--despite ${unnamed.slice(0, NAME_LENGTH)} of the command)`
  );
}
