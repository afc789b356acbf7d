import type { Asset } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Address, Hex } from 'viem';
import { findUnexplainedReleases, selectMaybePaidBy } from '../refunds/unexplained-releases.js';
import { queryWhole } from '../sql/query.js';

/** An event without an operation. `args` as stored: integers as decimal strings. */
export interface UnmatchedEvent {
  readonly chainId: number;
  readonly txHash: Hex;
  readonly name: string;
  readonly operationId: Hex;
  readonly args: Readonly<Record<string, string>>;
}

/** A transfer to a relayer wallet that pays no intent. `amount` in atomic units. */
interface UnmatchedTransfer {
  readonly chainId: number;
  readonly txHash: Hex;
  readonly asset: Asset;
  readonly payer: Address;
  readonly amount: bigint;
  /** Null until the transfer is final. */
  readonly refundId: Hex | null;
  /** Releases without an operation that may already have paid this transfer. A refund must name them. */
  readonly maybePaidBy: readonly Hex[];
}

/** The total dust of an asset on a chain. `amount` in atomic units. */
interface DustTotal {
  readonly chainId: number;
  readonly asset: Asset;
  readonly amount: bigint;
  /** How many transfers it sums up. */
  readonly transfers: bigint;
}

/** Events and transfers that match no operation. Operators review this list before they refund anything. */
export class ReconcileRepository {
  constructor(private readonly pool: Pool) {}

  /**
   * Deliveries of unknown operations: after the restore of an old backup, or signed with the key outside the relayer.
   */
  async deliveriesWithoutOperation(): Promise<UnmatchedEvent[]> {
    return this.events(
      `e.name IN ('Mint', 'Release') AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.id = e.operation_id)`,
    );
  }

  /**
   * Deposits and withdrawals whose number belonged to a different operation before an accepted reorg. They are never
   * paid.
   */
  async beginningsWithoutOperation(): Promise<UnmatchedEvent[]> {
    return this.events(`e.name IN ('Deposit', 'Withdraw') AND EXISTS (
      SELECT 1 FROM operation o WHERE o.id = e.operation_id AND (
        e.args->>'amount' <> o.amount::text OR e.args->>'sender' <> o.sender
        OR coalesce(e.args->>'recipient', e.args->>'destination') <> o.recipient))`);
  }

  /** Transfers that pay no intent and are not refunded yet. Refund them, unless they were already paid out. */
  async transfersWithoutIntent(): Promise<UnmatchedTransfer[]> {
    const releases = await findUnexplainedReleases(this.pool);
    const rows = await queryWhole<{
      chain_id: number;
      tx_hash: Hex;
      asset: Asset;
      payer: Address;
      amount: string;
      refund_id: Hex | null;
    }>(
      this.pool,
      `
      SELECT t.chain_id, t.tx_hash, t.asset, t.payer, t.amount, t.refund_id
      FROM (
        SELECT *, NULL::text AS refund_id FROM inbound_transfer WHERE operation_id IS NULL
        UNION ALL
        SELECT f.*, r.id FROM refund r JOIN inbound_transfer f ON f.operation_id = r.operation_id
        WHERE f.has_failed AND r.status IN ('REQUESTED', 'APPROVED', 'PENDING')) t
      ORDER BY t.block_number, t.tx_hash, t.call_index`,
    );
    return rows.map(({ chain_id: chainId, tx_hash: txHash, refund_id: refundId, asset, payer, ...row }) => {
      const amount = BigInt(row.amount);
      const maybePaidBy = selectMaybePaidBy({ asset, amount }, releases);
      return { chainId, txHash, asset, payer, amount, refundId, maybePaidBy };
    });
  }

  /** The transfers that are too small for a refund, summed per chain and asset. */
  async dust(): Promise<DustTotal[]> {
    const rows = await queryWhole<{ chain_id: number; asset: Asset; amount: string; transfers: string }>(
      this.pool,
      `
      SELECT chain_id, asset, sum(amount) AS amount, sum(transfers) AS transfers FROM dust
      GROUP BY chain_id, asset ORDER BY chain_id, asset`,
    );
    return rows.map(({ chain_id: chainId, asset, amount, transfers }) => ({
      chainId,
      asset,
      amount: BigInt(amount),
      transfers: BigInt(transfers),
    }));
  }

  private async events(where: string): Promise<UnmatchedEvent[]> {
    const rows = await queryWhole<{
      chain_id: number;
      tx_hash: string;
      name: string;
      operation_id: string;
      args: Record<string, string>;
    }>(
      this.pool,
      `SELECT e.chain_id, e.tx_hash, e.name, e.operation_id, e.args FROM chain_event e WHERE ${where}
        ORDER BY e.chain_id, e.block_number, e.log_index`,
    );
    return rows.map(({ chain_id: chainId, tx_hash: txHash, operation_id: operationId, name, args }) => ({
      chainId,
      txHash: txHash as Hex,
      name,
      operationId: operationId as Hex,
      args,
    }));
  }
}
