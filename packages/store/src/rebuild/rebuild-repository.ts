import type { Asset, OperationStatus } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { OperationParty, PrismaClient } from '../generated/prisma/client.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import type { OperationKind } from '../operations/operation.js';
import { isReopened } from '../operations/reopening.js';
import { endReconciliation, type NonceOf } from './reconciliation-repository.js';
import type { ColumnsOf } from '../sql/columns.js';
import { execute, query, queryWhole, sql } from '../sql/query.js';
import { valuesInSql } from '../sql/rows-in-sql.js';

/** Addresses per transaction of `sortHistories`. */
const ADDRESSES_PER_STEP = 500;

/** A row `g` of a history, numbered by the start time of its operation `o`. */
const SORTED_PARTY = {
  address: sql`g.address`,
  sequence: sql`row_number() OVER (PARTITION BY g.address ORDER BY o.created_at, g.sequence)`,
  direction: sql`g.direction`,
  direction_sequence: sql`row_number() OVER (PARTITION BY g.address, g.direction ORDER BY o.created_at, g.sequence)`,
  operation_id: sql`g.operation_id`,
  is_unproven: sql`g.is_unproven`,
} satisfies ColumnsOf<OperationParty>;

/**
 * The state of a database before a rebuild. `empty`: without data. `unfinished`: a rebuild began and can continue.
 * `used`: the database has data that a rebuild must not touch.
 */
export type RebuildState = 'empty' | 'unfinished' | 'used';

/** How many operations the stages have yet to advance. */
interface UnsettledCount {
  readonly origins: number;
  readonly deliveries: number;
}

/** Operations of one kind, status and asset. Sums in atomic units. */
interface OperationTotal {
  readonly kind: OperationKind;
  readonly status: OperationStatus;
  readonly asset: Asset;
  readonly count: number;
  readonly amount: bigint;
  readonly outputAmount: bigint;
}

/** Retirements, burns or refunds of one asset. Sums in atomic units. */
interface AssetTotal {
  readonly asset: Asset;
  readonly count: number;
  readonly amount: bigint;
}

/** The contents of a database after a rebuild. */
export interface RebuildTotals {
  readonly operations: readonly OperationTotal[];
  readonly retirements: readonly AssetTotal[];
  /** Burns, completed or open, whose tokens are not retired. */
  readonly unretired: readonly AssetTotal[];
  readonly sweeps: AssetTotal;
  /** Refunds of transfers that pay no known intent. */
  readonly openRefunds: readonly AssetTotal[];
  readonly paidRefunds: readonly AssetTotal[];
}

/** The progress of a rebuild: whether it can begin, how much is left, and its result. */
export class RebuildRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  async state(): Promise<RebuildState> {
    const rows = await query<{ unfinished: boolean; used: boolean }>(this.pool, {
      text: `
      SELECT EXISTS (SELECT 1 FROM rebuild WHERE finished_at IS NULL) AS unfinished,
        EXISTS (SELECT 1 FROM rebuild WHERE finished_at IS NOT NULL)
          OR EXISTS (SELECT 1 FROM chain_cursor) OR EXISTS (SELECT 1 FROM operation) AS used`,
    });
    if (rows[0]?.unfinished === true) return 'unfinished';
    return rows[0]?.used === true ? 'used' : 'empty';
  }

  /** Records that a rebuild has begun; a second call changes nothing. */
  async begin(fence: Fence): Promise<void> {
    await fencedTransaction(this.prisma, fence, (tx) => tx.rebuild.createMany({ data: {}, skipDuplicates: true }));
  }

  /**
   * Records that everything is restored. Relayers can start from then on.
   *
   * @param known the next nonces of the wallet, whose calls the rebuild has read.
   */
  async finish(fence: Fence, known: readonly NonceOf[]): Promise<void> {
    await fencedTransaction(this.prisma, fence, async (tx) => {
      await tx.rebuild.updateMany({ where: { finishedAt: null }, data: { finishedAt: new Date() } });
      await endReconciliation(tx, known);
    });
  }

  /**
   * Counts the operations that a chain's final blocks advance: `origins` not yet marked as final, and `deliveries`
   * neither settled nor found to use up a number. Deliveries whose number was reopened are left out: settling compares
   * their terms first.
   *
   * @param finalBlock newest final block of the chain.
   */
  async countUnsettled(chainId: number, finalBlock: bigint): Promise<UnsettledCount> {
    const rows = await queryWhole<{ origins: string; deliveries: string }>(
      this.pool,
      `SELECT
         (SELECT count(*) FROM operation o
          WHERE o.origin_chain_id = $1 AND o.status = 'CONFIRMING' AND o.origin_block_number <= $2) AS origins,
         (SELECT count(*) FROM operation o
          WHERE o.status IN ('AWAITING_RELAY', 'PROCESSING_DESTINATION', 'DELAYED') AND o.destination_chain_id = $1
            AND o.delayed_reason IS DISTINCT FROM 'NUMBER_USED_UP'
            AND EXISTS (SELECT 1 FROM chain_event e WHERE e.operation_id = o.id AND e.chain_id = $1
              AND e.name IN ('Mint', 'Release') AND e.block_number <= $2 AND NOT ${isReopened('e', '$2')})) AS deliveries`,
      [chainId, finalBlock.toString()],
    );
    return { origins: Number(rows[0]?.origins ?? 0), deliveries: Number(rows[0]?.deliveries ?? 0) };
  }

  /**
   * Sorts the histories of the next addresses by the start time of their operations. A rebuild can read one chain ahead
   * of the other, so operations are not stored in order of time.
   *
   * @param after the last address of the previous step; empty for the first step.
   * @param only the addresses to sort. Default: all.
   * @returns the last sorted address; null when none was left.
   */
  async sortHistories(fence: Fence, after: string, only: readonly string[] | null = null): Promise<string | null> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      // Locks the counters ordered by address, as `lockParties` does.
      const locked = await query<{ address: string }>(tx)`
        SELECT address FROM party_counter WHERE address > ${after}
          AND (${only === null ? null : [...only]}::text[] IS NULL OR address = ANY (${only === null ? null : [...only]}::text[]))
        ORDER BY address LIMIT ${ADDRESSES_PER_STEP} FOR UPDATE`;
      const addresses = locked.map(({ address }) => address);
      if (addresses.length === 0) return null;
      await execute(tx)`
        WITH gone AS (DELETE FROM operation_party WHERE address = ANY (${addresses}) RETURNING *)
        INSERT INTO operation_party ${valuesInSql(SORTED_PARTY)}
        FROM gone g JOIN operation o ON o.id = g.operation_id`;
      return addresses.at(-1) ?? null;
    });
  }

  /** Sums up the database's contents. */
  async totals(): Promise<RebuildTotals> {
    const operations = await queryWhole<TotalRow & { kind: OperationKind; status: OperationStatus }>(
      this.pool,
      `
      SELECT kind, status, asset, count(*) AS count, sum(amount) AS amount, sum(output_amount) AS output_amount
      FROM operation GROUP BY kind, status, asset ORDER BY kind, status, asset`,
    );
    const retirements = await queryWhole<TotalRow>(
      this.pool,
      `
      SELECT asset, count(*) AS count, sum(amount) AS amount FROM retirement WHERE state = 'CONFIRMED'
      GROUP BY asset ORDER BY asset`,
    );
    const unretired = await queryWhole<TotalRow>(
      this.pool,
      `
      SELECT o.asset, count(*) AS count, sum(o.amount) AS amount FROM operation o
      WHERE o.kind = 'BURN' AND NOT EXISTS (SELECT 1 FROM retired_operation t WHERE t.operation_id = o.id)
      GROUP BY o.asset ORDER BY o.asset`,
    );
    const sweeps = await queryWhole<TotalRow>(
      this.pool,
      `SELECT 'XCN' AS asset, count(*) AS count, coalesce(sum(amount), 0) AS amount FROM sweep WHERE state = 'CONFIRMED'`,
    );
    const refunds = await queryWhole<TotalRow & { is_paid: boolean }>(
      this.pool,
      `
      SELECT asset, status = 'COMPLETED' AS is_paid, count(*) AS count, sum(amount) AS amount FROM refund
      WHERE status <> 'REFUSED' GROUP BY asset, is_paid ORDER BY asset`,
    );
    return {
      operations: operations.map((row) => ({ ...toTotal(row), kind: row.kind, status: row.status })),
      retirements: retirements.map(toTotal),
      unretired: unretired.map(toTotal),
      sweeps: sweeps.map(toTotal)[0] ?? NOTHING,
      openRefunds: refunds.filter(({ is_paid: isPaid }) => !isPaid).map(toTotal),
      paidRefunds: refunds.filter(({ is_paid: isPaid }) => isPaid).map(toTotal),
    };
  }
}

const NOTHING: AssetTotal = { asset: 'XCN', count: 0, amount: 0n };

interface TotalRow {
  readonly asset: Asset;
  readonly count: string;
  readonly amount: string;
  readonly output_amount?: string;
}

function toTotal({ asset, count, amount, output_amount: outputAmount }: TotalRow) {
  return { asset, count: Number(count), amount: BigInt(amount), outputAmount: BigInt(outputAmount ?? 0) };
}
