import type { Asset, FailureReason } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import type { PrismaClient } from '../generated/prisma/client.js';
import { lockAllUnhaltedChains } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import {
  failArrivals,
  failIntent,
  PAYS_NOTHING,
  type ChainPair,
  type FinalArrival,
  type UnmatchedArrival,
} from './fail-operation.js';
import { completeRefund, type SettledRefund } from './refund-payment.js';
import { toRefund, type Refund } from './refund.js';
import { findUnexplainedReleases, selectMaybePaidBy } from './unexplained-releases.js';
import { query } from '../sql/query.js';

/** Most rows of one query. */
const MOST = 500;

/** A final Refunded event of a refund that is not settled. */
export interface SeenRefund extends SettledRefund {
  readonly chainId: number;
  readonly name: 'Refunded';
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  /** As in `WatchedEvent`. */
  readonly args: Readonly<Record<string, string>>;
}

/** Refunds: of transfers that pay no intent, and of intents that failed after their transfer was final. */
export class RefundRepository {
  constructor(private readonly prisma: PrismaClient) {}

  async find(id: Hex): Promise<Refund | null> {
    const row = await this.prisma.refund.findUnique({ where: { id } });
    return row === null ? null : toRefund(row);
  }

  /** The refunds that are not COMPLETED or REFUSED, oldest first. */
  async findOpen(limit = MOST): Promise<Refund[]> {
    const rows = await this.prisma.refund.findMany({
      where: { status: { in: ['REQUESTED', 'APPROVED', 'PENDING'] } },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      take: limit,
    });
    return rows.map(toRefund);
  }

  /** Releases without an operation that may already have paid a refund's transfer. */
  async findMaybePaidBy(refund: Refund): Promise<Hex[]> {
    return selectMaybePaidBy(refund, await findUnexplainedReleases(this.prisma));
  }

  /** The approved refunds that no call pays yet, oldest first. */
  async findApproved(): Promise<Refund[]> {
    const rows = await this.prisma.refund.findMany({
      where: { status: 'APPROVED' },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      take: MOST,
    });
    return rows.map(toRefund);
  }

  /** The rejected intents whose release can still be withheld, with the request. */
  async findRejected(): Promise<{ readonly id: Hex; readonly requestId: Hex }[]> {
    return query<{ id: Hex; requestId: Hex }>(this.prisma)`
      SELECT i.id, i.rejected_by AS "requestId" FROM intent i JOIN operation o ON o.id = i.id
      WHERE i.rejected_by IS NOT NULL AND o.status IN ('AWAITING_RELAY', 'DELAYED') ORDER BY i.id LIMIT ${MOST}`;
  }

  /**
   * The block of an operation's transfer on the current branch. A FAILED operation never changes, so after a reorg of
   * final blocks its origin refers to the removed branch.
   *
   * @returns null while a reorg has removed the transfer.
   */
  async arrival(operationId: Hex): Promise<{ readonly blockNumber: bigint; readonly blockHash: Hex } | null> {
    const select = { blockNumber: true, blockHash: true };
    const row = await this.prisma.inboundTransfer.findUnique({ where: { operationId }, select });
    return row === null ? null : { blockNumber: row.blockNumber, blockHash: row.blockHash as Hex };
  }

  /** Transfers up to a final block that pay no intent and never will, oldest first. */
  async findUnmatched(chainId: number, finalBlock: bigint): Promise<UnmatchedArrival[]> {
    const rows = await query<{
      tx_hash: Hex;
      asset: Asset;
      call_index: number;
      payer: Address;
      amount: string;
      block_number: string;
      block_hash: Hex;
    }>(this.prisma)`
      SELECT t.tx_hash, t.asset, t.call_index, t.payer, t.amount, t.block_number, t.block_hash FROM inbound_transfer t
      WHERE t.chain_id = ${chainId} AND t.block_number <= ${finalBlock} AND ${PAYS_NOTHING}
      ORDER BY t.block_number, t.tx_hash, t.asset, t.call_index LIMIT ${MOST}`;
    return rows.map((row) => ({
      key: { chainId, txHash: row.tx_hash, asset: row.asset, callIndex: row.call_index },
      payer: row.payer,
      amount: BigInt(row.amount),
      blockNumber: BigInt(row.block_number),
      blockHash: row.block_hash,
    }));
  }

  /**
   * Creates a FAILED operation and a refund for each of these transfers that still pays no intent.
   *
   * @returns the ids of the operations: none when a chain is halted.
   */
  async failArrivals(fence: Fence, arrivals: readonly FinalArrival[], chains: ChainPair): Promise<Hex[]> {
    if (arrivals.length === 0) return [];
    return fencedTransaction(this.prisma, fence, async (tx) =>
      (await lockAllUnhaltedChains(tx)) ? failArrivals(tx, arrivals, chains) : [],
    );
  }

  /**
   * Fails an intent that must not be released, and creates the refund of its transfer.
   *
   * @returns false when the intent does not wait for its release, a call may release it, or a chain is halted.
   */
  async failIntent(fence: Fence, id: Hex, reason: FailureReason): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) =>
      (await lockAllUnhaltedChains(tx)) ? failIntent(tx, id, reason) : false,
    );
  }

  /** The Refunded events up to a final block of PENDING refunds, in chain order. */
  async findPaid(chainId: number, finalBlock: bigint): Promise<SeenRefund[]> {
    const rows = await query<{
      id: Hex;
      tx_hash: Hex;
      block_number: string;
      block_hash: Hex;
      timestamp: Date;
      args: SeenRefund['args'];
    }>(this.prisma)`
      SELECT r.id, e.tx_hash, e.block_number, e.block_hash, b.timestamp, e.args
      FROM refund r JOIN chain_event e ON e.operation_id = r.id AND e.name = 'Refunded' AND e.chain_id = r.chain_id
      JOIN chain_block b ON b.chain_id = e.chain_id AND b.number = e.block_number
      WHERE r.status = 'PENDING' AND r.chain_id = ${chainId} AND e.block_number <= ${finalBlock}
      ORDER BY e.block_number, e.log_index LIMIT ${MOST}`;
    return rows.map((row) => ({
      refundId: row.id,
      txHash: row.tx_hash,
      blockNumber: BigInt(row.block_number),
      blockHash: row.block_hash,
      settledAt: row.timestamp,
      chainId,
      name: 'Refunded',
      args: row.args,
    }));
  }

  /**
   * Completes a refund whose payment is final. False when it is not PENDING, a reorg removed the event, or a chain is
   * halted.
   */
  async complete(fence: Fence, seen: SeenRefund, chainId: number): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx))) return false;
      const { blockNumber, blockHash, txHash } = seen;
      const stands = await tx.chainEvent.count({
        where: { chainId, txHash, blockNumber, blockHash, name: 'Refunded' },
      });
      return stands > 0 && completeRefund(tx, seen);
    });
  }
}
