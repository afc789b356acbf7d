import { assetInfo, type Asset } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Address, Hex } from 'viem';
import { Prisma, type PrismaClient } from '../generated/prisma/client.js';
import { bindTransfer, type TransferKey } from '../intents/bind-transfer.js';
import { lockAllUnhaltedChains } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { openOperations } from '../operations/open-operation.js';
import type { OperationTerms } from '../operations/operation.js';
import { completeRefund, joinRefund } from '../refunds/refund-payment.js';
import { toRefund, type Refund } from '../refunds/refund.js';
import { COMPLETED_BURNS } from '../transactions/retirement-evidence.js';
import { query, queryWhole } from '../sql/query.js';

/** A Release event without an operation in the database. Amounts in atomic units. */
export interface UnknownRelease {
  readonly operationId: Hex;
  readonly txHash: Hex;
  readonly recipient: Address;
  readonly token: Address;
  readonly outputAmount: bigint;
  readonly fee: bigint;
  readonly releasedAt: Date;
}

/** A transfer to the relayer wallet that is bound to no intent. `amount` in 18-decimal units. */
export interface UnboundPayment {
  readonly key: TransferKey;
  readonly blockNumber: bigint;
  readonly minedAt: Date;
}

/** An intent as restored from its release and its transfer. */
export interface RestoredIntent {
  readonly terms: OperationTerms;
  readonly payment: UnboundPayment;
  readonly nonceHash: Hex;
  readonly deadlineSeconds: bigint;
  readonly signature: Hex;
  readonly expiresAt: Date;
}

/** A refund and the event that paid it. `amount`: paid, in atomic units. */
export interface PaidRefund {
  readonly refund: Refund;
  readonly txHash: Hex;
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  /** Chain time of its block. */
  readonly settledAt: Date;
}

/** A completed burn, and whether its tokens are retired. */
export interface CompletedBurn {
  readonly operationId: Hex;
  readonly amount: bigint;
  readonly isRetired: boolean;
}

/** A retirement or sweep as found on the chain. */
export interface RestoredUpkeep {
  readonly chainId: number;
  readonly amount: bigint;
  readonly operationIds: readonly Hex[];
  /** Chain time of its block. */
  readonly at: Date;
}

/** Restores records that the chains show only indirectly: released intents, paid refunds, retirements and sweeps. */
export class RestoreRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /** The last release of each unknown operation, in chain order. An operation with a reopened id can have several. */
  async unknownReleases(): Promise<UnknownRelease[]> {
    const rows = await queryWhole<{
      operation_id: Hex;
      tx_hash: Hex;
      args: Record<'recipient' | 'token', Address> & Record<'amount' | 'fee', string>;
      released_at: Date;
    }>(
      this.pool,
      `
      SELECT e.operation_id, e.tx_hash, e.args, b.timestamp AS released_at FROM chain_event e
      JOIN chain_block b ON b.chain_id = e.chain_id AND b.number = e.block_number
      WHERE e.name = 'Release' AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.id = e.operation_id)
        AND ${isLast('e')}
      ORDER BY e.block_number, e.log_index`,
    );
    return rows.map(({ operation_id: operationId, tx_hash: txHash, args, released_at: releasedAt }) => ({
      operationId,
      txHash,
      releasedAt,
      recipient: args.recipient,
      token: args.token,
      outputAmount: BigInt(args.amount),
      fee: BigInt(args.fee),
    }));
  }

  /** The unbound transfers of this payer and amount, oldest first. */
  async unboundPayments(chainId: number, payer: Address, amount: bigint): Promise<UnboundPayment[]> {
    const rows = await this.prisma.inboundTransfer.findMany({
      where: { chainId, asset: 'XCN', payer, amount: amount.toString(), operationId: null },
      orderBy: [{ blockNumber: 'asc' }, { txHash: 'asc' }, { callIndex: 'asc' }],
    });
    return rows.map(({ txHash, asset, callIndex, blockNumber, minedAt }) => ({
      key: { chainId, txHash: txHash as Hex, asset, callIndex },
      blockNumber,
      minedAt,
    }));
  }

  /**
   * Stores an intent, its operation and the binding of its transfer. Later stages make it final and settle it.
   *
   * @returns false when the operation exists, the transfer is bound, or a chain is halted; nothing is stored then.
   */
  async restoreIntent(fence: Fence, { terms, payment, ...signed }: RestoredIntent): Promise<boolean> {
    const { id, sender } = terms;
    const createdAt = payment.minedAt;
    return this.orNothing(fence, async (tx) => {
      if ((await tx.operation.count({ where: { id } })) > 0) return false;
      await openOperations(tx, [{ terms, origin: null, createdAt }]);
      const acceptedAtBlock = payment.blockNumber;
      await tx.intent.create({
        data: { id, sender, createdAt, acceptedAtBlock, judgedAtBlock: acceptedAtBlock - 1n, ...signed },
      });
      return bindTransfer(tx, payment.key, id);
    });
  }

  /** The last Refunded event of each REQUESTED refund of a chain, in chain order. */
  async paidRefunds(chainId: number): Promise<PaidRefund[]> {
    const rows = await query<{
      id: string;
      tx_hash: Hex;
      args: Record<'token' | 'recipient', Address> & { amount: string };
      timestamp: Date;
    }>(this.prisma, {
      text: `
      SELECT r.id, e.tx_hash, e.args, b.timestamp
      FROM refund r JOIN chain_event e ON e.operation_id = r.id AND e.name = 'Refunded' AND e.chain_id = r.chain_id
      JOIN chain_block b ON b.chain_id = e.chain_id AND b.number = e.block_number
      WHERE r.chain_id = $1 AND r.status = 'REQUESTED' AND ${isLast('e')} ORDER BY e.block_number, e.log_index`,
      values: [chainId],
    });
    const refunds = await this.prisma.refund.findMany({ where: { id: { in: rows.map(({ id }) => id) } } });
    const byId = new Map(refunds.map((row) => [row.id, toRefund(row)]));
    return rows.flatMap(({ id, tx_hash: txHash, args, timestamp: settledAt }) => {
      const { token, recipient, amount } = args;
      const refund = byId.get(id);
      return refund === undefined ? [] : [{ refund, txHash, token, recipient, amount: BigInt(amount), settledAt }];
    });
  }

  /** Completes a refund that was paid on the chain. The unpaid remainder is gas, except for rounding dust. */
  async restoreRefund(fence: Fence, { refund, txHash, recipient, amount, settledAt }: PaidRefund): Promise<boolean> {
    const { id: refundId } = refund;
    const kept = refund.amount - amount;
    // A payment on Ethereum is not rounded.
    const unrounded = refund.amount % assetInfo(refund.asset).granularity;
    const dust = unrounded < kept ? unrounded : kept;
    const gasFee = kept - dust;
    return this.orNothing(fence, async (tx) => {
      await tx.refund.update({ where: { id: refundId }, data: { status: 'APPROVED', recipient } });
      const payment = { refundId, recipient, paidAmount: amount, gasFee, dust };
      return (await joinRefund(tx, payment, txHash)) && (await completeRefund(tx, { refundId, txHash, settledAt }));
    });
  }

  /** All completed burns of a token, in the order of retirement. */
  async completedBurns(chainId: number, asset: Asset): Promise<CompletedBurn[]> {
    const rows = await queryWhole<{ id: Hex; amount: string; is_retired: boolean }>(
      this.pool,
      `SELECT o.id, o.amount,
         EXISTS (SELECT 1 FROM retired_operation t WHERE t.operation_id = o.id) AS is_retired
       ${COMPLETED_BURNS} AND o.origin_chain_id = $1 AND o.asset = $2::"Asset" ORDER BY o.settled_at, o.id`,
      [chainId, asset],
    );
    return rows.map(({ id, amount, is_retired: isRetired }) => ({
      operationId: id,
      amount: BigInt(amount),
      isRetired,
    }));
  }

  /**
   * Stores a successful retirement.
   *
   * @returns false when one of the burns is retired already; nothing is stored then.
   */
  async restoreRetirement(fence: Fence, asset: Asset, { chainId, amount, operationIds, at }: RestoredUpkeep) {
    return this.orNothing(fence, async (tx) => {
      const data = { chainId, asset, amount: amount.toString(), createdAt: at };
      const { id } = await tx.retirement.create({ data });
      const { count } = await tx.retiredOperation.createMany({
        data: operationIds.map((operationId) => ({ operationId, retirementId: id })),
        skipDuplicates: true,
      });
      await tx.retirement.update({ where: { id }, data: { state: 'CONFIRMED', endedAt: at } });
      return count === operationIds.length;
    });
  }

  /**
   * Stores a successful sweep.
   *
   * @returns false when one of the transfers is swept already; nothing is stored then.
   */
  async restoreSweep(fence: Fence, { chainId, amount, operationIds, at }: RestoredUpkeep): Promise<boolean> {
    return this.orNothing(fence, async (tx) => {
      const ended = { state: 'CONFIRMED', createdAt: at, endedAt: at } as const;
      const { id } = await tx.sweep.create({ data: { chainId, amount: amount.toString(), ...ended } });
      const where = { chainId, operationId: { in: [...operationIds] }, sweepId: null };
      const { count } = await tx.inboundTransfer.updateMany({ where, data: { sweepId: id } });
      return count === operationIds.length;
    });
  }

  /** Commits the writes of `work` only if it returns true and no chain is halted. */
  private async orNothing(fence: Fence, work: (tx: Prisma.TransactionClient) => Promise<boolean>): Promise<boolean> {
    try {
      await fencedTransaction(this.prisma, fence, async (tx) => {
        if (!(await lockAllUnhaltedChains(tx)) || !(await work(tx))) throw new NotRestoredError();
      });
      return true;
    } catch (error) {
      if (error instanceof NotRestoredError) return false;
      throw error;
    }
  }
}

/** The condition that `event` is the last event of its name and id. */
function isLast(event: string): string {
  return `NOT EXISTS (SELECT 1 FROM chain_event l WHERE l.operation_id = ${event}.operation_id AND l.name = ${event}.name
    AND l.chain_id = ${event}.chain_id AND (l.block_number, l.log_index) > (${event}.block_number, ${event}.log_index))`;
}

/** Rolls a transaction back. */
class NotRestoredError extends Error {
  override readonly name = 'NotRestoredError';
}
