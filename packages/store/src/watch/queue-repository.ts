import type { Asset, DelayReason } from '@causeway/protocol';
import type { Pool } from 'pg';
import { isReopened } from '../operations/reopening.js';
import { query } from '../sql/query.js';

/** The operations that wait in one stage for one reason. */
export interface Queue {
  /** The stage that moves them on. */
  readonly stage: 'bind' | 'finalize' | 'hold' | 'deliver' | 'settle';
  /** Why a delivery is delayed; null when it is not. */
  readonly reason: DelayReason | null;
  readonly operations: number;
  /** Seconds since the oldest of them entered this stage. */
  readonly oldestSeconds: number;
  /** The highest number of attempts of one operation. */
  readonly attempts: number;
}

/** The relayer's transactions on a chain that are signed and not final. */
export interface PendingTransactions {
  readonly chainId: number;
  readonly count: number;
  /** How many replacement transactions they have. */
  readonly replacements: number;
  /** Seconds since the oldest of them was signed. */
  readonly oldestSeconds: number;
}

/** The amount of an asset that a chain's contract owes, fees included, in atomic units. */
export interface OwedAmount {
  readonly chainId: number;
  readonly asset: Asset;
  readonly amount: bigint;
}

/** How many operations wait, for how long, and how much they need: figures for metrics and quotes. */
export class QueueRepository {
  constructor(private readonly pool: Pool) {}

  /** The open operations by stage and reason. */
  async depths(): Promise<Queue[]> {
    const rows = await query<{
      stage: Queue['stage'];
      reason: DelayReason | null;
      operations: number;
      oldest_seconds: number;
      attempts: number;
    }>(this.pool, {
      name: 'queue-depths',
      text: `SELECT stage, reason, count(*)::int AS operations, max(attempts) AS attempts,
          greatest(0, extract(epoch FROM now() - min(since)))::float8 AS oldest_seconds
        FROM (
          SELECT attempts, CASE WHEN status = 'DELAYED' THEN delayed_reason END AS reason,
            CASE status
              WHEN 'PENDING_ORIGIN_TX' THEN 'bind'
              WHEN 'CONFIRMING' THEN 'finalize'
              WHEN 'PROCESSING_DESTINATION' THEN 'settle'
              ELSE CASE WHEN hold_released_at IS NULL THEN 'hold' ELSE 'deliver' END
            END AS stage,
            coalesce(hold_released_at, finalized_at, created_at) AS since
          FROM operation WHERE status NOT IN ('COMPLETED', 'FAILED', 'EXPIRED')) AS live
        GROUP BY stage, reason`,
    });
    return rows.map(({ oldest_seconds: oldestSeconds, ...row }) => ({ ...row, oldestSeconds }));
  }

  /** The pending transactions by chain. Chains without one are left out. */
  async transactions(): Promise<PendingTransactions[]> {
    const rows = await query<{
      chain_id: number;
      count: number;
      replacements: number;
      oldest_seconds: number;
    }>(this.pool, {
      name: 'queue-transactions',
      text: `SELECT c.chain_id, count(*)::int AS count,
          coalesce(sum((SELECT count(*) - 1 FROM signed_transaction t WHERE t.call_id = c.id)), 0)::int AS replacements,
          greatest(0, extract(epoch FROM now() - min(c.created_at)))::float8 AS oldest_seconds
        FROM wallet_call c WHERE c.ended_at IS NULL GROUP BY c.chain_id`,
    });
    return rows.map((row) => ({
      chainId: row.chain_id,
      count: row.count,
      replacements: row.replacements,
      oldestSeconds: row.oldest_seconds,
    }));
  }

  /**
   * The sums of the operations whose delivery is not sent, by destination and asset. Zeros are left out, and so are
   * used-up numbers that were not reopened: the contract pays nothing for them.
   */
  async owed(): Promise<OwedAmount[]> {
    const rows = await query<{ chain_id: number; asset: Asset; amount: string }>(this.pool, {
      name: 'queue-owed',
      text: `SELECT destination_chain_id AS chain_id, asset::text AS asset, sum(amount) AS amount
        FROM operation WHERE status NOT IN ('COMPLETED', 'FAILED', 'EXPIRED')
          AND status IN ('CONFIRMING', 'AWAITING_RELAY', 'DELAYED')
          AND (delayed_reason IS DISTINCT FROM 'NUMBER_USED_UP' OR NOT EXISTS (
            SELECT 1 FROM chain_event e WHERE e.operation_id = operation.id AND e.name IN ('Mint', 'Release')
              AND NOT ${isReopened('e', null)}))
        GROUP BY destination_chain_id, asset`,
    });
    return rows.map(({ chain_id: chainId, asset, amount }) => ({ chainId, asset, amount: BigInt(amount) }));
  }
}
