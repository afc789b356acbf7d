import type { Asset } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Hex } from 'viem';
import type { PrismaClient } from '../generated/prisma/client.js';
import {
  COMPLETED_BURNS,
  EVIDENCE_COLUMNS,
  newestEvidence,
  type EvidenceRow,
  type RetirementEvidence,
  type WaitingWithdrawals,
} from './retirement-evidence.js';
import { query } from '../sql/query.js';

/** Most withdrawals of one retirement; others wait for the next. */
const MAX_PER_RETIREMENT = 1_000;

/** Retirements, which destroy the tokens of completed withdrawals. A withdrawal is in one retirement at a time. */
export class RetirementRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /**
   * The completed withdrawals of a token that wait for a retirement, oldest first; null for none, or while a retirement
   * is pending.
   */
  async findWaiting(chainId: number, asset: Asset): Promise<WaitingWithdrawals | null> {
    const rows = await query<EvidenceRow & { id: string; amount: string; settled_at: Date }>(this.pool, {
      name: 'retirements-waiting',
      text: `SELECT o.id, o.amount, o.settled_at, ${EVIDENCE_COLUMNS} ${COMPLETED_BURNS}
          AND o.origin_chain_id = $1 AND o.asset = $2::"Asset"
          AND o.id IN (SELECT u.operation_id FROM unretired_burn u WHERE u.chain_id = $1 AND u.asset = $2::"Asset")
          AND NOT EXISTS (SELECT 1 FROM retirement p WHERE p.chain_id = $1 AND p.asset = $2::"Asset" AND p.state = 'PENDING')
        ORDER BY o.settled_at, o.id LIMIT ${MAX_PER_RETIREMENT}`,
      values: [chainId, asset],
    });
    const [oldest] = rows;
    const evidence = newestEvidence(rows);
    if (oldest === undefined || evidence === null) return null;
    const lastFailed = await this.prisma.retirement.findFirst({
      where: { chainId, asset, state: 'FAILED' },
      orderBy: { endedAt: 'desc' },
    });
    return {
      ...evidence,
      chainId,
      asset,
      operationIds: rows.map(({ id }) => id as Hex),
      amount: rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
      oldestSettledAt: oldest.settled_at,
      lastFailedAt: lastFailed?.endedAt ?? null,
    };
  }

  /** The amount of a token that the wallet must hold at a block: all unretired burns up to it, paid or not. */
  async unretiredAmount(chainId: number, asset: Asset, blockNumber: bigint): Promise<bigint> {
    const rows = await query<{ amount: string }>(this.pool, {
      name: 'retirements-handed-in',
      text: `SELECT coalesce(sum(o.amount), 0) AS amount FROM operation o
        JOIN chain_event w ON w.chain_id = o.origin_chain_id AND w.tx_hash = o.origin_tx_hash AND w.log_index = o.origin_log_index
          AND w.block_hash = o.origin_block_hash AND w.operation_id = o.id AND w.name = 'Withdraw'
        WHERE o.kind = 'BURN' AND o.origin_chain_id = $1 AND o.asset = $2::"Asset" AND o.origin_block_number <= $3
          AND o.status <> 'FAILED'
          AND o.id IN (SELECT u.operation_id FROM unretired_burn u WHERE u.chain_id = $1 AND u.asset = $2::"Asset")`,
      values: [chainId, asset, blockNumber.toString()],
    });
    return BigInt(rows[0]?.amount ?? 0);
  }

  /** The evidence of a retirement; null when one of its burns or releases was rolled back. */
  async evidence(retirementId: bigint): Promise<RetirementEvidence | null> {
    const rows = await query<EvidenceRow>(this.pool, {
      text: `SELECT ${EVIDENCE_COLUMNS} ${COMPLETED_BURNS}
         AND o.id IN (SELECT t.operation_id FROM retired_operation t WHERE t.retirement_id = $1)`,
      values: [retirementId.toString()],
    });
    const count = await this.prisma.retiredOperation.count({ where: { retirementId } });
    return rows.length === count ? newestEvidence(rows) : null;
  }
}
