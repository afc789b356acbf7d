import { REFUND_STATUSES, type FailureReason, type RefundStatus } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Address, Hex } from 'viem';
import type { PrismaClient } from '../generated/prisma/client.js';
import { toRefund, type Refund } from '../refunds/refund.js';
import { findUnexplainedReleases, selectMaybePaidBy } from '../refunds/unexplained-releases.js';
import { toPage, computeRange, type Page, type PageRequest, type TimeKey } from './keyset.js';
import { query } from '../sql/query.js';

/** A person's decision about a refund, from a request and its approval. */
export interface RefundDecision {
  readonly operator: Address;
  readonly kind: 'APPROVE' | 'REFUSE';
  readonly recipient: Address | null;
  readonly at: Date;
}

/** A refund in the list. */
export interface ListedRefund extends Refund {
  /** Why its operation FAILED. */
  readonly failureReason: FailureReason | null;
  /** Oldest first. Signatures are not verified here; the relayer verifies them. */
  readonly decisions: readonly RefundDecision[];
  /** Releases without an operation that may already have paid it: amount plus fee equal the transfer's amount. */
  readonly maybePaidBy: readonly Hex[];
}

/** All refunds, newest first. */
export class RefundListing {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /** @param status null for all. */
  async page(status: RefundStatus | null, request: PageRequest<TimeKey>): Promise<Page<ListedRefund, TimeKey>> {
    const { limit, start } = request;
    const { above, below } = computeRange(start, null, null);
    const order = start?.way === 'newer' ? 'ASC' : 'DESC';
    const rows = await query<{ id: Hex }>(this.pool, {
      name: `listing-refunds-${order}`,
      text: `SELECT page.id FROM unnest($1::"RefundStatus"[]) AS facet (status)
        CROSS JOIN LATERAL (
          SELECT id, created_at FROM refund
          WHERE status = facet.status AND (created_at, id) > ($2::timestamptz, $3::text) AND (created_at, id) < ($4::timestamptz, $5::text)
          ORDER BY created_at ${order}, id ${order} LIMIT $6) page
        ORDER BY page.created_at ${order}, page.id ${order} LIMIT $6`,
      values: [
        status === null ? REFUND_STATUSES : [status],
        above?.at ?? '-infinity',
        above?.id ?? '',
        below?.at ?? 'infinity',
        below?.id ?? '',
        limit + 1,
      ],
    });
    const refunds = await this.byIds(rows.map(({ id }) => id));
    return toPage(refunds, request, ({ createdAt, id }) => ({ at: createdAt, id }));
  }

  async find(id: Hex): Promise<ListedRefund | null> {
    return (await this.byIds([id]))[0] ?? null;
  }

  /** How many refunds wait for operators. */
  async countWaiting(): Promise<{ readonly count: number; readonly oldestSince: Date | null }> {
    const rows = await query<{ count: number; since: Date | null }>(this.pool, {
      name: 'refunds-waiting',
      text: `SELECT count(*)::int AS count, min(created_at) AS since FROM refund WHERE status = 'REQUESTED'`,
    });
    return { count: rows[0]?.count ?? 0, oldestSince: rows[0]?.since ?? null };
  }

  /** The existing refunds, in the order of the ids. */
  private async byIds(ids: readonly Hex[]): Promise<ListedRefund[]> {
    if (ids.length === 0) return [];
    const [found, releases, decisions] = await Promise.all([
      this.prisma.refund.findMany({
        where: { id: { in: [...ids] } },
        include: { operation: { select: { failureReason: true } } },
      }),
      findUnexplainedReleases(this.pool),
      this.decisionsAbout(ids),
    ]);
    const byId = new Map(
      found.map((row) => [row.id, { ...toRefund(row), failureReason: row.operation.failureReason }]),
    );
    return ids.flatMap((id) => {
      const refund = byId.get(id);
      if (refund === undefined) return [];
      const maybePaidBy = refund.status === 'COMPLETED' ? [] : selectMaybePaidBy(refund, releases);
      return [{ ...refund, maybePaidBy, decisions: decisions.get(id) ?? [] }];
    });
  }

  private async decisionsAbout(ids: readonly Hex[]): Promise<ReadonlyMap<Hex, RefundDecision[]>> {
    const rows = await query<{
      refund: Hex;
      kind: string;
      recipient: Address | null;
      operator: Address;
      created_at: Date;
    }>(this.pool, {
      name: 'refund-decisions',
      // LATERAL, so that the requests of each refund are looked up by its id.
      text: `SELECT refund, r.terms ->> 'kind' AS kind, r.terms ->> 'recipient' AS recipient, a.operator, a.created_at
        FROM unnest($1::text[]) AS refund
        CROSS JOIN LATERAL (SELECT id, terms FROM admin_request WHERE terms ->> 'refundId' = refund OFFSET 0) r
        CROSS JOIN LATERAL (SELECT operator, created_at FROM admin_approval WHERE request_id = r.id OFFSET 0) a
        ORDER BY a.created_at, a.operator`,
      values: [ids],
    });
    const byRefund = new Map<Hex, RefundDecision[]>();
    for (const { refund, kind, recipient, operator, created_at: at } of rows) {
      const decision = { operator, kind: kind === 'REFUND_APPROVE' ? 'APPROVE' : 'REFUSE', recipient, at } as const;
      byRefund.set(refund, [...(byRefund.get(refund) ?? []), decision]);
    }
    return byRefund;
  }
}
