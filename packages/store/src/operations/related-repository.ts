import type { DelayReason } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Hex } from 'viem';
import { query } from '../sql/query.js';

/** The records about a transaction that is not the origin of an operation. */
export interface RelatedRecords {
  /** The operations that it delivered or was signed to deliver, in batch order. */
  readonly deliveredIds: readonly Hex[];
  /** For a transaction of the relayer wallet: the final transaction with the same nonce, if it is another one. */
  readonly replacedBy: Hex | null;
  /** The failed operation whose refund it pays or was signed to pay. */
  readonly refundedId: Hex | null;
  /** Whether it transferred to the relayer wallet, and no intent is bound to the transfer. */
  readonly hasUnboundTransfer: boolean;
}

/** An event of a bridge contract about an operation or a refund. */
export interface OperationEvent {
  readonly chainId: number;
  readonly name: string;
  readonly txHash: Hex;
  /** Chain time of its block. */
  readonly minedAt: Date;
}

/** A delay of an operation for one reason. `endedAt` is null while it lasts. */
export interface PastDelay {
  readonly reason: DelayReason;
  readonly since: Date;
  readonly endedAt: Date | null;
}

/** Finds the records of any transaction hash, for status queries by people. */
export class RelatedRepository {
  constructor(private readonly pool: Pool) {}

  /** @param chainIds both chains: events and transfers are stored by chain. */
  async find(txHash: Hex, chainIds: readonly number[]): Promise<RelatedRecords> {
    const rows = await query<{
      delivered: Hex[];
      unbound: boolean;
      mined: Hex | null;
      state: string | null;
      paid: Hex[] | null;
      refunded: Hex | null;
    }>(this.pool, {
      name: 'related-records',
      text: `SELECT
          ARRAY(SELECT operation_id FROM chain_event WHERE chain_id = ANY ($2) AND tx_hash = $1
                AND name IN ('Mint', 'Release') ORDER BY log_index) AS delivered,
          EXISTS (SELECT 1 FROM inbound_transfer WHERE chain_id = ANY ($2) AND tx_hash = $1 AND operation_id IS NULL)
            AS unbound,
          call.*
        FROM (SELECT 1) one LEFT JOIN LATERAL (
          SELECT c.tx_hash AS mined, c.state::text AS state,
            ARRAY(SELECT operation_id FROM call_operation o WHERE o.call_id = c.id ORDER BY position) AS paid,
            (SELECT operation_id FROM refund r WHERE r.id = c.refund_id) AS refunded
          FROM signed_transaction s JOIN wallet_call c ON c.id = s.call_id WHERE s.tx_hash = $1) call ON true`,
      values: [txHash, chainIds],
    });
    const [row] = rows;
    if (row === undefined) return { deliveredIds: [], replacedBy: null, refundedId: null, hasUnboundTransfer: false };
    const replacedBy = row.mined === txHash ? null : row.mined;
    // An ended call paid only the operations of its events, and its refund only if it succeeded.
    const signedFor = row.state === 'PENDING' || replacedBy !== null ? (row.paid ?? []) : [];
    const maySucceed = row.state === 'PENDING' || row.state === 'SUCCEEDED';
    return {
      deliveredIds: row.delivered.length > 0 ? row.delivered : signedFor,
      replacedBy,
      refundedId: maySucceed ? row.refunded : null,
      hasUnboundTransfer: row.unbound,
    };
  }

  /** The delays of an operation, oldest first. */
  async delays(operationId: Hex): Promise<PastDelay[]> {
    const rows = await query<{ reason: DelayReason; since: Date; ended_at: Date | null }>(this.pool, {
      name: 'related-delays',
      text: 'SELECT reason, since, ended_at FROM operation_delay WHERE operation_id = $1 ORDER BY since',
      values: [operationId],
    });
    return rows.map(({ reason, since, ended_at: endedAt }) => ({ reason, since, endedAt }));
  }

  /** The stored events about operations or refunds with these ids, oldest first. */
  async events(ids: readonly Hex[]): Promise<OperationEvent[]> {
    const rows = await query<{ chain_id: number; name: string; tx_hash: Hex; timestamp: Date }>(this.pool, {
      name: 'related-events',
      text: `SELECT e.chain_id, e.name, e.tx_hash, b.timestamp
        FROM chain_event e JOIN chain_block b ON b.chain_id = e.chain_id AND b.number = e.block_number
        WHERE e.operation_id = ANY ($1) ORDER BY b.timestamp, e.chain_id, e.log_index`,
      values: [ids],
    });
    return rows.map((row) => ({ chainId: row.chain_id, name: row.name, txHash: row.tx_hash, minedAt: row.timestamp }));
  }
}
