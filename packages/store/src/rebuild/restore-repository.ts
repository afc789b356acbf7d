import { assetInfo, type Asset } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Address, Hex } from 'viem';
import { Prisma, type PrismaClient } from '../generated/prisma/client.js';
import { bindTransfer, type TransferKey } from '../intents/bind-transfer.js';
import { lockAllUnhaltedChains } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { openOperations } from '../operations/open-operation.js';
import type { OperationTerms } from '../operations/operation.js';
import { completeRefund, joinRefund, refuseRefund } from '../refunds/refund-payment.js';
import { toRefund, type Refund } from '../refunds/refund.js';
import { COMPLETED_BURNS } from '../transactions/retirement-evidence.js';
import { execute, query, queryWhole } from '../sql/query.js';

/** A Release event without an operation in the database. Amounts in atomic units. */
export interface UnknownRelease {
  readonly operationId: Hex;
  readonly txHash: Hex;
  readonly recipient: Address;
  readonly token: Address;
  readonly outputAmount: bigint;
  readonly fee: bigint;
  readonly releasedAt: Date;
  readonly blockNumber: bigint;
  readonly logIndex: number;
}

/** Releases per answer. */
const RELEASES_TOGETHER = 1_000;
/** The releases whose operation is unknown, has no transfer, or has FAILED here. */
const UNKNOWN_RELEASES = `chain_event e WHERE e.name = 'Release' AND ${isLast('e')}
  AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.id = e.operation_id AND o.status NOT IN ('PENDING_ORIGIN_TX', 'EXPIRED', 'FAILED'))`;

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

/** A completed burn whose tokens are not retired. */
export interface CompletedBurn {
  readonly operationId: Hex;
  readonly amount: bigint;
}

/** A retirement as found on the chain. `txHashes`: several when only the sum of their amounts matches burns. */
export interface RestoredRetirement extends RestoredUpkeep {
  readonly txHashes: readonly Hex[];
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

  /**
   * The next last releases of operations that are unknown, or whose transfer is, in chain order. An operation with a
   * reopened id can have several.
   *
   * @param after the last release of the previous answer; null for the first.
   */
  async unknownReleases(after: Pick<UnknownRelease, 'blockNumber' | 'logIndex'> | null): Promise<UnknownRelease[]> {
    const rows = await queryWhole<{
      operation_id: Hex;
      tx_hash: Hex;
      args: Record<'recipient' | 'token', Address> & Record<'amount' | 'fee', string>;
      released_at: Date;
      block_number: string;
      log_index: number;
    }>(
      this.pool,
      `
      SELECT r.operation_id, r.tx_hash, r.args, r.block_number, r.log_index, b.timestamp AS released_at FROM (
        SELECT e.* FROM ${UNKNOWN_RELEASES} AND (e.block_number, e.log_index) > ($1, $2)
        ORDER BY e.block_number, e.log_index LIMIT ${RELEASES_TOGETHER}) r
      JOIN chain_block b ON b.chain_id = r.chain_id AND b.number = r.block_number
      ORDER BY r.block_number, r.log_index`,
      [(after?.blockNumber ?? -1n).toString(), after?.logIndex ?? -1],
    );
    return rows.map(({ operation_id: operationId, tx_hash: txHash, args, released_at: releasedAt, ...place }) => ({
      operationId,
      txHash,
      releasedAt,
      recipient: args.recipient,
      token: args.token,
      outputAmount: BigInt(args.amount),
      fee: BigInt(args.fee),
      blockNumber: BigInt(place.block_number),
      logIndex: place.log_index,
    }));
  }

  /** The number of the releases that `unknownReleases` returns. */
  async countUnknownReleases(): Promise<number> {
    const rows = await queryWhole<{ count: string }>(this.pool, `SELECT count(*) FROM ${UNKNOWN_RELEASES}`);
    return Number(rows[0]?.count ?? 0);
  }

  /** The transfers of this payer and amount that pay no intent and are not refunded, oldest first. */
  async unboundPayments(chainId: number, payer: Address, amount: bigint): Promise<UnboundPayment[]> {
    const unpaid = { is: { refund: { is: { status: { in: [...UNPAID] } } } } };
    const rows = await this.prisma.inboundTransfer.findMany({
      where: {
        chainId,
        asset: 'XCN',
        payer,
        amount: amount.toString(),
        OR: [{ operationId: null }, { hasFailed: true, operation: unpaid }],
      },
      orderBy: [{ blockNumber: 'asc' }, { txHash: 'asc' }, { callIndex: 'asc' }],
    });
    return rows.map(({ txHash, asset, callIndex, blockNumber, minedAt }) => ({
      key: { chainId, txHash: txHash as Hex, asset, callIndex },
      blockNumber,
      minedAt,
    }));
  }

  /**
   * Stores an intent, its operation and the binding of its transfer; for a stored intent, only the binding. Later
   * stages make it final and settle it. A refund of the transfer that waits for operators is refused. The watch judges
   * the release again, and sums from its block on are computed again.
   *
   * @returns false when the operation has another transfer, the transfer is bound or refunded, or a chain is halted;
   *   nothing is stored then.
   */
  async restoreIntent(fence: Fence, { terms, payment, ...signed }: RestoredIntent): Promise<boolean> {
    const { id, sender } = terms;
    const createdAt = payment.minedAt;
    return this.orNothing(fence, async (tx) => {
      if ((await tx.operation.count({ where: { id } })) === 0) {
        await openOperations(tx, [{ terms, origin: null, createdAt }]);
        const acceptedAtBlock = payment.blockNumber;
        await tx.intent.create({
          data: { id, sender, createdAt, acceptedAtBlock, judgedAtBlock: acceptedAtBlock - 1n, ...signed },
        });
      }
      await freeTransfer(tx, payment.key);
      await execute(tx)`
        DELETE FROM xcn_total t USING chain_event e WHERE e.operation_id = ${id} AND e.name = 'Release'
          AND t.ethereum_chain_id = e.chain_id AND t.ethereum_block >= e.block_number`;
      await judgeAgain(tx, id, 'Release');
      return bindTransfer(tx, payment.key, id);
    });
  }

  /** The refunds that a chain shows as paid and the database lacks. */
  async unknownRefunds(chainId: number): Promise<ReadonlySet<Hex>> {
    const rows = await query<{ id: Hex }>(this.prisma)`
      SELECT e.operation_id AS id FROM chain_event e WHERE e.chain_id = ${chainId} AND e.name = 'Refunded'
        AND NOT EXISTS (SELECT 1 FROM refund r WHERE r.id = e.operation_id)`;
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * The last Refunded event of each refund of a chain whose payment is not signed, in chain order.
   *
   * @param finalBlock newest final block of the chain: a reorg may remove a later event.
   */
  async paidRefunds(chainId: number, finalBlock: bigint): Promise<PaidRefund[]> {
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
      WHERE r.chain_id = $1 AND r.status IN ('REQUESTED', 'APPROVED') AND e.block_number <= $2 AND ${isLast('e')}
      ORDER BY e.block_number, e.log_index`,
      values: [chainId, finalBlock],
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
      await judgeAgain(tx, refundId, 'Refunded');
      const payment = { refundId, recipient, paidAmount: amount, gasFee, dust };
      return (await joinRefund(tx, payment, txHash)) && (await completeRefund(tx, { refundId, txHash, settledAt }));
    });
  }

  /** The first unretired completed burns of a token, in the order of retirement. */
  async completedBurns(chainId: number, asset: Asset, limit: number): Promise<CompletedBurn[]> {
    const rows = await queryWhole<{ id: Hex; amount: string }>(
      this.pool,
      `SELECT o.id, o.amount ${COMPLETED_BURNS} AND o.origin_chain_id = $1 AND o.asset = $2::"Asset"
         AND o.id IN (SELECT u.operation_id FROM unretired_burn u WHERE u.chain_id = $1 AND u.asset = $2::"Asset")
       ORDER BY o.settled_at, o.id LIMIT $3`,
      [chainId, asset, limit],
    );
    return rows.map(({ id, amount }) => ({ operationId: id, amount: BigInt(amount) }));
  }

  /** Which of these transactions belong to a stored retirement, by its call or as restored. */
  async knownRetirements(chainId: number, txHashes: readonly Hex[]): Promise<ReadonlySet<Hex>> {
    const hashes = [...txHashes];
    const rows = await query<{ hash: Hex }>(this.prisma)`
      SELECT h AS hash FROM unnest(${hashes}::text[]) h
      WHERE EXISTS (SELECT 1 FROM signed_transaction s JOIN wallet_call c ON c.id = s.call_id
          WHERE s.tx_hash = h AND c.retirement_id IS NOT NULL AND c.state IN ('PENDING', 'SUCCEEDED'))
        OR EXISTS (SELECT 1 FROM retirement r WHERE r.chain_id = ${chainId} AND h = ANY (r.tx_hashes))`;
    return new Set(rows.map(({ hash }) => hash));
  }

  /**
   * Stores a successful retirement.
   *
   * @returns false when one of the burns is retired already; nothing is stored then.
   */
  async restoreRetirement(fence: Fence, asset: Asset, retirement: RestoredRetirement) {
    const { chainId, amount, operationIds, at, txHashes } = retirement;
    return this.orNothing(fence, async (tx) => {
      const data = { chainId, asset, amount: amount.toString(), createdAt: at, txHashes: [...txHashes] };
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

/** The states of a refund whose payment is not signed. */
const UNPAID = ['REQUESTED', 'APPROVED', 'REFUSED'] as const;

/** Takes a transfer from a TRANSFER operation, and refuses its refund, because a release paid the transfer. */
async function freeTransfer(tx: Prisma.TransactionClient, key: TransferKey): Promise<void> {
  const transfer = await tx.inboundTransfer.findUnique({ where: { chainId_txHash_asset_callIndex: key } });
  if (transfer?.hasFailed !== true || transfer.operationId === null) return;
  const { operationId } = transfer;
  const refund = await tx.refund.findUnique({ where: { operationId }, include: { operation: true } });
  if (refund === null || refund.operation.kind !== 'TRANSFER' || !UNPAID.some((status) => status === refund.status))
    return;
  await refuseRefund(tx, refund.id as Hex);
  await tx.inboundTransfer.updateMany({ where: { operationId }, data: { operationId: null, hasFailed: false } });
}

/** Removes the watch's verdicts on the events of an id, whose owed terms have changed. */
async function judgeAgain(tx: Prisma.TransactionClient, operationId: Hex, name: 'Release' | 'Refunded'): Promise<void> {
  await tx.chainEvent.updateMany({ where: { operationId, name }, data: { verdict: null } });
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
