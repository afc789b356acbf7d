import type { Asset, DelayReason, Direction, OperationStatus } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Hex } from 'viem';
import { query } from '../sql/query.js';

/** The operations that are delayed for one reason. */
export interface DelayedOperations {
  readonly reason: DelayReason;
  readonly count: number;
  readonly oldestSince: Date;
  /** `amount`: what the recipients are due to receive, in atomic units. */
  readonly parts: readonly {
    readonly asset: Asset;
    readonly direction: Direction;
    readonly count: number;
    readonly amount: bigint;
  }[];
}

/** The operations that have not ended. */
export interface OpenOperations {
  readonly byStatus: readonly { readonly status: OperationStatus; readonly count: number }[];
  readonly byDelay: readonly DelayedOperations[];
  /** The amounts that senders have paid, in atomic units. */
  readonly amounts: readonly { readonly asset: Asset; readonly amount: bigint }[];
  /** The paid operation that began first; null for none. */
  readonly oldest: { readonly id: Hex; readonly status: OperationStatus; readonly since: Date } | null;
}

/** Operations of an asset that completed, in atomic units. */
export interface CompletedOperations {
  readonly asset: Asset;
  /** Paid to their recipients, credits included. */
  readonly delivered: bigint;
  readonly fees: bigint;
}

/** How far a chain was read, and whether it is halted. */
export interface ReadChain {
  readonly chainId: number;
  readonly nextBlock: bigint;
  readonly headBlock: bigint;
  readonly readAt: Date;
  readonly halt: { readonly since: Date; readonly reason: string } | null;
}

/** The holder of the lease. `expiresAt`: null after a release, or before any process held it. */
export interface LeaseState {
  readonly holder: string | null;
  readonly token: bigint;
  readonly expiresAt: Date | null;
  /** By the database's clock. */
  readonly isHeld: boolean;
}

/** Totals of native XCN that had crossed the bridge at a time, in 18-decimal units. */
export interface XcnPoint {
  readonly at: Date;
  readonly minted: bigint;
  readonly withdrawn: bigint;
}

/**
 * A version of each thing, other than operations, that the console watches. The text changes whenever the thing does.
 */
export interface WatchedVersions {
  readonly requests: string;
  readonly halts: string;
  readonly refunds: string;
  readonly lease: string;
  readonly audit: string;
}

interface DelayRow {
  readonly reason: DelayReason;
  readonly count: number;
  readonly since: string;
  readonly parts: readonly { asset: Asset; direction: Direction; count: number; amount: string }[];
}

/**
 * The state of the bridge for the console. Every query reads open or recently completed operations, or a table that
 * stays small.
 */
export class OverviewRepository {
  constructor(private readonly pool: Pool) {}

  /** Figures of the open operations, in one query. */
  async open(): Promise<OpenOperations> {
    const rows = await query<{
      statuses: { status: OperationStatus; count: number }[] | null;
      delays: DelayRow[] | null;
      amounts: { asset: Asset; amount: string }[] | null;
      oldest: { id: Hex; status: OperationStatus; since: string } | null;
    }>(this.pool, {
      name: 'overview-open',
      text: `WITH live AS MATERIALIZED (
          SELECT id, status, asset, direction, amount, output_amount, delayed_reason, delayed_since, created_at
          FROM operation WHERE status NOT IN ('COMPLETED', 'FAILED', 'EXPIRED'))
        SELECT
          (SELECT json_agg(s) FROM (SELECT status, count(*)::int AS count FROM live GROUP BY status ORDER BY status) s)
            AS statuses,
          (SELECT json_agg(d) FROM (
            SELECT reason, sum(p.count)::int AS count, min(since) AS since, json_agg(p) AS parts FROM (
              SELECT delayed_reason AS reason, asset, direction, count(*)::int AS count,
                sum(output_amount)::text AS amount, min(delayed_since) AS since FROM live
              WHERE status = 'DELAYED' GROUP BY delayed_reason, asset, direction) p
            GROUP BY reason ORDER BY 2 DESC, 1) d) AS delays,
          (SELECT json_agg(a) FROM (
            SELECT asset, sum(amount)::text AS amount FROM live WHERE status <> 'PENDING_ORIGIN_TX' GROUP BY asset) a)
            AS amounts,
          (SELECT row_to_json(o) FROM (
            SELECT id, status, created_at AS since FROM live WHERE status <> 'PENDING_ORIGIN_TX'
            ORDER BY created_at, id LIMIT 1) o) AS oldest`,
    });
    const { statuses = [], delays = [], amounts = [], oldest = null } = rows[0] ?? {};
    return {
      byStatus: statuses ?? [],
      byDelay: (delays ?? []).map(({ reason, count, since, parts }) => ({
        reason,
        count,
        oldestSince: new Date(since),
        parts: parts.map(({ asset, direction, count: of, amount }) => {
          return { asset, direction, count: of, amount: BigInt(amount) };
        }),
      })),
      amounts: (amounts ?? []).map(({ asset, amount }) => ({ asset, amount: BigInt(amount) })),
      oldest: oldest === null ? null : { ...oldest, since: new Date(oldest.since) },
    };
  }

  /** Sums of the operations that completed since a chain time, for each asset with any. */
  async completedSince(since: Date): Promise<CompletedOperations[]> {
    const rows = await query<{ asset: Asset; delivered: string; fees: string }>(this.pool, {
      name: 'overview-completed',
      text: `SELECT asset, sum(output_amount)::text AS delivered, sum(fee)::text AS fees FROM operation
        WHERE status = 'COMPLETED' AND settled_at >= $1 GROUP BY asset`,
      values: [since],
    });
    return rows.map(({ asset, delivered, fees }) => ({ asset, delivered: BigInt(delivered), fees: BigInt(fees) }));
  }

  /** The chains that were ever read. */
  async chains(): Promise<ReadChain[]> {
    const rows = await query<{
      chain_id: number;
      next_block: string;
      head_block: string;
      read_at: Date;
      halted_at: Date | null;
      halted_reason: string | null;
    }>(this.pool, {
      name: 'overview-chains',
      text: 'SELECT chain_id, next_block, head_block, read_at, halted_at, halted_reason FROM chain_cursor ORDER BY chain_id',
    });
    return rows.map((row) => ({
      chainId: row.chain_id,
      nextBlock: BigInt(row.next_block),
      headBlock: BigInt(row.head_block),
      readAt: row.read_at,
      halt: row.halted_at === null ? null : { since: row.halted_at, reason: row.halted_reason ?? '' },
    }));
  }

  /** The lease of this name. */
  async lease(name: string): Promise<LeaseState> {
    const rows = await query<{ holder: string; token: string; expires_at: Date | null; held: boolean }>(this.pool, {
      name: 'overview-lease',
      text: `SELECT holder, token, CASE WHEN isfinite(expires_at) THEN expires_at END AS expires_at,
        expires_at > now() AS held FROM lease WHERE name = $1`,
      values: [name],
    });
    const [row] = rows;
    if (row === undefined) return { holder: null, token: 0n, expiresAt: null, isHeld: false };
    const { holder, token, expires_at: expiresAt, held: isHeld } = row;
    return { holder: holder === '' ? null : holder, token: BigInt(token), expiresAt, isHeld };
  }

  /** How many unexpired requests wait for approvals, or for the relayer. */
  async requestsWaiting(): Promise<number> {
    const rows = await query<{ count: number }>(this.pool, {
      name: 'overview-requests',
      text: `SELECT count(*)::int AS count FROM admin_request
        WHERE state = 'QUEUED' OR (state = 'AWAITING_APPROVAL' AND valid_until > now())`,
    });
    return rows[0]?.count ?? 0;
  }

  /** The unexpired requests that wait for approvals. */
  async approvalsWaiting(): Promise<{ readonly count: number; readonly oldestSince: Date | null }> {
    const rows = await query<{ count: number; since: Date | null }>(this.pool, {
      name: 'overview-approvals',
      text: `SELECT count(*)::int AS count, min(created_at) AS since FROM admin_request
        WHERE state = 'AWAITING_APPROVAL' AND valid_until > now()`,
    });
    return { count: rows[0]?.count ?? 0, oldestSince: rows[0]?.since ?? null };
  }

  /** Versions of the things that the console watches. Reads only open rows. */
  async versions(lease: string): Promise<WatchedVersions> {
    const rows = await query<WatchedVersions>(this.pool, {
      name: 'overview-versions',
      text: `SELECT
          (SELECT concat_ws(' ', count(*), sum(r.approved), max(r.created_at), string_agg(r.id || r.state, ',' ORDER BY r.id))
            FROM (SELECT q.*, (SELECT count(*) FROM admin_approval a WHERE a.request_id = q.id) AS approved
              FROM admin_request q WHERE q.state IN ('AWAITING_APPROVAL', 'QUEUED')) r) AS requests,
          (SELECT concat_ws(' ', string_agg(concat_ws(' ', chain_id, halted_at, deliveries_halted_at), ',' ORDER BY chain_id))
            FROM chain_cursor) AS halts,
          (SELECT concat_ws(' ', count(*), max(updated_at)) FROM refund
            WHERE status IN ('REQUESTED', 'APPROVED', 'PENDING')) AS refunds,
          (SELECT concat_ws(' ', max(holder), max(token), bool_or(expires_at > now())) FROM lease WHERE name = $1) AS lease,
          (SELECT concat_ws(' ', max(sequence)) FROM admin_audit) AS audit`,
      values: [lease],
    });
    const [row] = rows;
    if (row === undefined) throw new Error('The database returned no row');
    return row;
  }

  /** Totals of native XCN since a time, oldest first: at most `most`, evenly spaced, including the last. */
  async xcnTotals(since: Date | null, most: number): Promise<XcnPoint[]> {
    const rows = await query<{ at: Date; minted: string; withdrawn: string }>(this.pool, {
      name: 'overview-xcn-totals',
      text: `SELECT at, minted, withdrawn FROM (
          SELECT at, minted, withdrawn, row_number() OVER (ORDER BY partner_block DESC) - 1 AS n, count(*) OVER () AS total
          FROM xcn_total WHERE at >= coalesce($1, '-infinity'::timestamptz)) numbered
        WHERE n % ceil(total::numeric / $2) = 0 ORDER BY n DESC`,
      values: [since, most],
    });
    return rows.map(({ at, minted, withdrawn }) => ({ at, minted: BigInt(minted), withdrawn: BigInt(withdrawn) }));
  }
}
