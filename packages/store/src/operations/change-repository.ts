import type { Pool } from 'pg';
import type { Address, Hex } from 'viem';
import type { NotificationListener } from '../locks/notification-listener.js';
import { OPERATION_COLUMNS, toOperation, type Operation, type OperationRow } from './operation.js';
import { query } from '../sql/query.js';

/** The channel on which followers of operations listen. A trigger announces every change. */
export const OPERATION_CHANGES = { name: 'causeway_operations', payloads: ['changed'] } as const;

/** Listens for changes until `stop`. */
export type ChangeListener = NotificationListener<'changed'>;

/** An operation in its current state. */
export interface ChangedOperation {
  readonly operation: Operation;
  /**
   * The id of the transaction that wrote it last. A later write can have a lower id if its transaction began earlier.
   */
  readonly changedIn: bigint;
  /** The addresses whose histories include it, except recipients of a stranger's unpaid intent. */
  readonly addresses: readonly Address[];
}

/** Operations of one snapshot of the database, in the order of `changedIn`. */
export interface OperationChanges {
  readonly changed: readonly ChangedOperation[];
  /**
   * Every transaction with a lower id had ended at the snapshot, so later changes have at least this id. A reader that
   * continues from here misses no change.
   */
  readonly watermark: bigint;
}

/** The operations to follow. */
export interface FollowedOperations {
  readonly ids: readonly Hex[];
  readonly originTxHashes: readonly Hex[];
  readonly addresses: readonly Address[];
  /** Follow all operations, regardless of the lists. */
  readonly all?: boolean;
}

type ChangeRow = { watermark: string; seen: number } & ((OperationRow & { addresses: Address[] }) | { id: null });

/** At least one row, with the watermark of the snapshot. */
const inSnapshot = (operations: string, seen = '0') => `
  SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS watermark, ${seen}::int AS seen, found.*
  FROM (SELECT 1) AS one LEFT JOIN (
    SELECT ${OPERATION_COLUMNS}, party.addresses
    FROM (${operations}) AS chosen
    CROSS JOIN LATERAL (SELECT * FROM operation WHERE id = chosen.id OFFSET 0) o
    CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(address), '{}') AS addresses
      FROM operation_party WHERE operation_id = chosen.id AND NOT is_unproven) party`;
const IN_ORDER = ') found ON true ORDER BY found.changed_in, found.id';

/**
 * Changes of operations. Each row has the id of the transaction that wrote it, and a reader continues from the lowest
 * id that was running when it read. So neither clocks nor commit order matter, and any process can continue where
 * another stopped. A reader can see a state twice or skip an intermediate state, but always sees the last one.
 */
export class ChangeRepository {
  constructor(private readonly pool: Pool) {}

  /** The current state of an operation, if it exists. */
  async ofId(id: Hex): Promise<OperationChanges> {
    const text = `${inSnapshot('SELECT id FROM operation WHERE id = $1')}${IN_ORDER}`;
    return toChanges(await this.rows('changes-of-id', text, [id]));
  }

  /** The current state of the operations of an origin transaction. */
  async ofOriginTx(txHash: Hex): Promise<OperationChanges> {
    const text = `${inSnapshot('SELECT id FROM operation WHERE origin_tx_hash = $1')}${IN_ORDER}`;
    return toChanges(await this.rows('changes-of-origin-tx', text, [txHash]));
  }

  /**
   * The followed operations that changed since a watermark.
   *
   * @param most changed operations to scan, followed or not; at most 20,000.
   * @returns null when more operations changed.
   */
  async since(watermark: bigint, followed: FollowedOperations, most: number): Promise<OperationChanges | null> {
    const text = `
      WITH recent AS MATERIALIZED (
        SELECT id, origin_tx_hash FROM operation WHERE changed_in >= $1 ORDER BY changed_in LIMIT ${most + 1})
      ${inSnapshot('SELECT id, origin_tx_hash FROM recent', '(SELECT count(*) FROM recent)')}
      WHERE $5 OR chosen.id = ANY ($2) OR chosen.origin_tx_hash = ANY ($3) OR party.addresses && $4::text[] ${IN_ORDER}`;
    const { ids, originTxHashes, addresses, all = false } = followed;
    const rows = await this.rows(`changes-since-${most}`, text, [watermark, ids, originTxHashes, addresses, all]);
    return (rows[0]?.seen ?? 0) > most ? null : toChanges(rows);
  }

  /** The watermark of a current snapshot. */
  async watermark(): Promise<bigint> {
    return toChanges(await this.rows('changes-none', `${inSnapshot('SELECT NULL AS id LIMIT 0')}${IN_ORDER}`, []))
      .watermark;
  }

  private async rows(name: string, text: string, values: unknown[]): Promise<ChangeRow[]> {
    return query<ChangeRow>(this.pool, { name, text, values });
  }
}

function toChanges(rows: readonly ChangeRow[]): OperationChanges {
  const changed = rows.flatMap((row) =>
    row.id === null
      ? []
      : [{ operation: toOperation(row), changedIn: BigInt(row.changed_in), addresses: row.addresses }],
  );
  return { changed, watermark: BigInt(rows[0]?.watermark ?? 0) };
}
