import type { Asset, DelayReason } from '@causeway/protocol';
import type { Hex } from 'viem';
import { Prisma, type PrismaClient } from '../generated/prisma/client.js';
import { lockAllSendingChains, lockAllUnhaltedChains } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { lockCall, lockOperations } from '../locks/row-locks.js';
import { wake } from '../locks/wake-ups.js';
import { advanceOperations } from '../operations/advance-operation.js';
import type { OperationDelay } from '../operations/operation-repository.js';
import { completeRefund, freeRefund, joinRefund } from '../refunds/refund-payment.js';
import { endRetirement, joinRetirement } from './retirement-evidence.js';
import { endSweep, joinSweep } from './sweep-repository.js';
import {
  getOperationIds,
  insertCalls,
  isOnBranch,
  linkOperations,
  NOT_ENDED,
  toWalletCall,
  transactionRow,
  WITH_CALL,
  type CallOutcome,
  type CallSubject,
  type NewCall,
  type SignedTransaction,
  type Wallet,
  type WalletCall,
} from './wallet-call.js';
import { execute, query } from '../sql/query.js';
import { columnsInSql } from '../sql/rows-in-sql.js';

/** The result of `record`. `ended`: these subjects have already ended, so nothing was stored. */
export type RecordResult =
  | { readonly kind: 'recorded' }
  | { readonly kind: 'halted' | 'nonce-used' }
  | { readonly kind: 'ended'; readonly subjects: readonly CallSubject[] };

/** Stores every transaction of the relayer before its broadcast, so that a crash can neither lose nor duplicate one. */
export class JournalRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /** The nonce after the wallet's last call; 0 for a new wallet. */
  async nextNonce({ chainId, address }: Wallet): Promise<bigint> {
    const last = await this.prisma.walletCall.findFirst({
      where: { chainId, sender: address },
      orderBy: { nonce: 'desc' },
      select: { nonce: true },
    });
    return last === null ? 0n : last.nonce + 1n;
  }

  /** The calls of a wallet that have not ended, ordered by nonce. */
  async pending({ chainId, address }: Wallet): Promise<WalletCall[]> {
    const rows = await this.prisma.walletCall.findMany({
      // Not by state: PostgreSQL does not use a partial index for a parameter.
      where: { chainId, sender: address, endedAt: null },
      orderBy: { nonce: 'asc' },
      include: WITH_CALL,
    });
    return rows.map(toWalletCall);
  }

  /** The calls of former wallets that have not ended, oldest first. */
  async pendingOfFormer({ chainId, address }: Wallet): Promise<WalletCall[]> {
    const rows = await this.prisma.walletCall.findMany({
      where: { chainId, sender: { not: address }, endedAt: null },
      orderBy: { id: 'asc' },
      include: WITH_CALL,
    });
    return rows.map(toWalletCall);
  }

  /** The call with a nonce, ended or not. */
  async withNonce({ chainId, address }: Wallet, nonce: bigint): Promise<WalletCall | null> {
    const where = { chainId_sender_nonce: { chainId, sender: address, nonce } };
    const row = await this.prisma.walletCall.findUnique({ where, include: WITH_CALL });
    return row === null ? null : toWalletCall(row);
  }

  /** The pending call of an operation. */
  async findPending(operationId: Hex): Promise<WalletCall | null> {
    const where = { state: 'PENDING' as const, operations: { some: { operationId, freedAt: null } } };
    const row = await this.prisma.walletCall.findFirst({ where, include: WITH_CALL });
    return row === null ? null : toWalletCall(row);
  }

  /** How many calls of each of these operations reverted. Operations without a reverted call are left out. */
  async countReverted(operationIds: readonly Hex[]): Promise<ReadonlyMap<Hex, number>> {
    const rows = await this.prisma.callOperation.groupBy({
      by: ['operationId'],
      where: { operationId: { in: [...operationIds] }, call: { state: 'REVERTED' } },
      _count: true,
    });
    return new Map(rows.map(({ operationId, _count }) => [operationId as Hex, _count]));
  }

  /**
   * The gas fees of a wallet's final transactions since a time, in wei: the sums of whole minutes, plus the calls of
   * the first partial minute.
   */
  async feesPaidSince({ chainId, address }: Wallet, since: Date): Promise<bigint> {
    const [row] = await query<{ paid: string }>(this.prisma)`
      WITH first AS (SELECT date_trunc('minute', ${since}::timestamptz) + interval '1 minute' AS minute)
      SELECT (
        (SELECT coalesce(sum(s.fee_paid), 0) FROM wallet_fee s
         WHERE s.chain_id = ${chainId} AND s.sender = ${address} AND s.minute >= first.minute)
        + (SELECT coalesce(sum(c.fee_paid), 0) FROM wallet_call c
           WHERE c.chain_id = ${chainId} AND c.sender = ${address}
             AND c.ended_at >= ${since}::timestamptz AND c.ended_at < first.minute)
      )::text AS paid FROM first`;
    return BigInt(row?.paid ?? 0);
  }

  /** The most that the calls from a nonce on, ended or not, can take from the wallet, in wei. `fees`: for gas. */
  async inFlight({ chainId, address }: Wallet, nonce: bigint): Promise<{ value: bigint; fees: bigint }> {
    const [row] = await query<{ value: string; fees: string }>(this.prisma)`
      SELECT coalesce(sum(c.value), 0)::text AS value, coalesce(sum(t.fee), 0)::text AS fees
      FROM wallet_call c CROSS JOIN LATERAL (
        SELECT max(gas::numeric * max_fee_per_gas) AS fee FROM signed_transaction WHERE call_id = c.id
      ) t
      WHERE c.chain_id = ${chainId} AND c.sender = ${address} AND c.nonce >= ${nonce}`;
    return { value: BigInt(row?.value ?? 0), fees: BigInt(row?.fees ?? 0) };
  }

  /**
   * The sum of an asset's mints in calls with this or a later nonce: signed, and perhaps mined. A delivery that lost
   * its origin is withheld, and left out so that it does not block others.
   *
   * @param originUntil the Ethereum block up to which deposits count: the block at which the collateral is read.
   */
  async mintsFrom({ chainId, address }: Wallet, nonce: bigint, asset: Asset, originUntil: bigint): Promise<bigint> {
    const [row] = await query<{ amount: string }>(this.prisma)`
      SELECT coalesce(sum(o.output_amount), 0)::text AS amount
      FROM wallet_call c JOIN call_operation l ON l.call_id = c.id JOIN operation o ON o.id = l.operation_id
      WHERE c.chain_id = ${chainId} AND c.sender = ${address} AND c.nonce >= ${nonce}
        AND c.state IN ('PENDING', 'SUCCEEDED') AND c.purpose = 'DELIVERY' AND l.freed_at IS NULL
        AND o.asset = ${asset}::"Asset" AND o.kind = 'DEPOSIT' AND EXISTS (
          SELECT 1 FROM chain_event e WHERE e.chain_id = o.origin_chain_id AND e.tx_hash = o.origin_tx_hash
            AND e.log_index = o.origin_log_index AND e.block_hash = o.origin_block_hash AND e.operation_id = o.id
            AND e.block_number <= ${originUntil})`;
    return BigInt(row?.amount ?? 0);
  }

  /**
   * Stores signed calls and their subjects atomically. Operations become PROCESSING_DESTINATION. Nothing is stored
   * while a chain or the deliveries are halted.
   *
   * @returns `nonce-used` when another call has one of the nonces: sign again with other nonces.
   */
  async record(fence: Fence, wallet: Wallet, calls: readonly NewCall[]): Promise<RecordResult> {
    try {
      return await fencedTransaction(this.prisma, fence, async (tx) => {
        if (!(await lockAllSendingChains(tx))) return { kind: 'halted' };
        const joined = [];
        for (const call of calls) joined.push({ ...call, ...(await joinUpkeep(tx, wallet, call)) });
        await this.beginDelivery(tx, calls);
        const ids = await insertCalls(tx, wallet, joined);
        if (ids === null) throw new RefusedRecord({ kind: 'nonce-used' });
        await linkOperations(tx, calls, ids);
        return { kind: 'recorded' };
      });
    } catch (error) {
      if (error instanceof RefusedRecord) return error.result;
      throw error;
    }
  }

  /**
   * Moves the operations of calls to PROCESSING_DESTINATION. Throws, so that the transaction rolls back, when one is
   * not due.
   */
  private async beginDelivery(tx: Prisma.TransactionClient, calls: readonly NewCall[]): Promise<void> {
    const hashes = new Map(
      calls.flatMap(({ subject, transaction }) =>
        getOperationIds(subject).map((operationId) => [operationId as string, transaction.hash] as const),
      ),
    );
    const operationIds = [...hashes.keys()];
    if (operationIds.length === 0) return;
    const moved = await advanceOperations(tx, operationIds, ({ id, status, holdReleasedAt, attempts }) =>
      (status === 'AWAITING_RELAY' || status === 'DELAYED') && holdReleasedAt !== null
        ? {
            destinationTxHash: hashes.get(id) ?? null,
            delayedReason: null,
            nextAttemptAt: null,
            attempts: attempts + 1,
          }
        : null,
    );
    const live = await query<{ id: string }>(tx)`
      SELECT operation_id AS id FROM call_operation WHERE operation_id = ANY (${operationIds}) AND freed_at IS NULL`;
    const taken = new Set(live.map(({ id }) => id));
    const seen = new Set<Hex>();
    // An operation that two of the calls pay is due only for the first call.
    const isDue = (id: Hex) => moved.has(id) && !taken.has(id) && !seen.has(id) && seen.add(id);
    const ended = calls.flatMap(({ subject }) => (getOperationIds(subject).every(isDue) ? [] : [subject]));
    // Thrown, so that the transaction rolls back.
    if (ended.length > 0) throw new RefusedRecord({ kind: 'ended', subjects: ended });
  }

  /**
   * Stores a replacement transaction for the nonce of a call: with higher fees, or a cancellation.
   *
   * @returns false when the call has ended, was cancelled (for a fee replacement), was not cancelled (for a
   *   cancellation) or has a newer transaction, or when a chain is halted. Also false while the deliveries are halted,
   *   except for a cancellation, which pays nothing. A transaction that is not stored must not be sent.
   */
  async replace(fence: Fence, call: WalletCall, signed: SignedTransaction, isCancellation: boolean): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await (isCancellation ? lockAllUnhaltedChains(tx) : lockAllSendingChains(tx)))) return false;
      await lockOperations(tx, call.operationIds);
      const now = await lockCall(tx, call.id);
      if (now?.state !== 'PENDING' || (now.cancelledAt !== null) !== isCancellation) return false;
      const count = await tx.signedTransaction.count({ where: { callId: call.id } });
      if (count !== call.transactions.length) return false;
      await tx.signedTransaction.create({ data: transactionRow(call.id, signed, isCancellation) });
      if (!isCancellation) await this.showTransaction(tx, call, signed.hash);
      return true;
    });
  }

  /** Ends the delay of a call's operations after a node accepted its transaction. */
  async markBroadcast(fence: Fence, call: WalletCall, hash: Hex): Promise<void> {
    await fencedTransaction(this.prisma, fence, async (tx) => {
      await lockOperations(tx, call.operationIds);
      const now = await lockCall(tx, call.id);
      if (now?.state === 'PENDING' && now.cancelledAt === null) await this.showTransaction(tx, call, hash);
    });
  }

  private async showTransaction(tx: Prisma.TransactionClient, call: WalletCall, hash: Hex): Promise<void> {
    if (call.refundId !== null)
      await tx.refund.updateMany({ where: { id: call.refundId, status: 'PENDING' }, data: { txHash: hash } });
    await advanceOperations(tx, call.operationIds, (now) =>
      (now.status === 'PROCESSING_DESTINATION' && now.destinationTxHash !== hash) || now.status === 'DELAYED'
        ? { destinationTxHash: hash, delayedReason: null, nextAttemptAt: null }
        : null,
    );
  }

  /** Delays the operations of a pending call whose transaction no node accepted, until a node accepts it. */
  async delayPending(fence: Fence, call: WalletCall, reason: DelayReason): Promise<void> {
    await fencedTransaction(this.prisma, fence, async (tx) => {
      await lockOperations(tx, call.operationIds);
      if ((await lockCall(tx, call.id))?.state !== 'PENDING') return;
      await advanceOperations(tx, call.operationIds, (now) =>
        now.status === 'PROCESSING_DESTINATION' ? { delayedReason: reason, nextAttemptAt: null } : null,
      );
    });
  }

  /**
   * Cancels a pending call: from then on only an empty transaction is sent for its nonce. Its operations are DELAYED
   * and not due until the use of the nonce is final.
   *
   * @param fence null for operators: the locks make a lease unnecessary.
   * @returns false when the call has ended or was already cancelled, or a chain is halted.
   */
  async cancel(fence: Fence | null, call: WalletCall): Promise<boolean> {
    const cancelIn = async (tx: Prisma.TransactionClient) => cancelCall(tx, call);
    return fence === null ? this.prisma.$transaction(cancelIn) : fencedTransaction(this.prisma, fence, cancelIn);
  }

  /**
   * Ends a call after the use of its nonce became final. Operations that it did not pay wait for another call.
   *
   * @param unpaid the operations that the call did not pay, with their delays.
   * @returns false when the call has already ended, the block is not on the stored branch, or a chain is halted.
   */
  async conclude(
    fence: Fence,
    call: WalletCall,
    outcome: CallOutcome,
    unpaid: readonly OperationDelay[],
  ): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx)) || !(await isOnBranch(tx, call.chainId, outcome))) return false;
      const hasSucceeded = outcome.state === 'SUCCEEDED';
      if (call.sweepId !== null) await endSweep(tx, call.sweepId, hasSucceeded);
      if (call.retirementId !== null) await endRetirement(tx, call.retirementId, hasSucceeded);
      if (call.refundId !== null) await this.endRefund(tx, call.refundId, call.id, outcome);
      await lockOperations(tx, call.operationIds);
      const { count } = await tx.walletCall.updateMany({
        where: { id: call.id, state: 'PENDING' },
        data: { state: outcome.state, endedAt: new Date(), ...receiptColumns(outcome) },
      });
      // Thrown, so that the end of a retirement or sweep is rolled back.
      if (count === 0) throw new AlreadyEnded();
      if (unpaid.length > 0) await this.freeOperations(tx, call, unpaid);
      return true;
    }).catch((error: unknown) => {
      if (error instanceof AlreadyEnded) return false;
      throw error;
    });
  }

  /**
   * On the partner chain, the contract's event settles a refund. On Ethereum no event exists, so the receipt settles
   * it.
   */
  private async endRefund(tx: Prisma.TransactionClient, refundId: Hex, callId: bigint, outcome: CallOutcome) {
    if (outcome.state !== 'SUCCEEDED') return freeRefund(tx, refundId, callId);
    const { txHash, block } = outcome;
    const refund = await tx.refund.findUnique({ where: { id: refundId }, include: { operation: true } });
    if (refund === null || refund.operation.direction !== 'ETHEREUM_TO_PARTNER') return;
    const where = { chainId_number: { chainId: refund.chainId, number: block.number } };
    const settledAt = (await tx.chainBlock.findUnique({ where }))?.timestamp ?? new Date();
    await completeRefund(tx, { refundId, txHash, settledAt });
  }

  private async freeOperations(tx: Prisma.TransactionClient, { id }: WalletCall, unpaid: readonly OperationDelay[]) {
    const delays = new Map<string, OperationDelay>(unpaid.map((delay) => [delay.operationId, delay]));
    await tx.callOperation.updateMany({
      where: { callId: id, operationId: { in: [...delays.keys()] }, freedAt: null },
      data: { freedAt: new Date() },
    });
    await advanceOperations(tx, [...delays.keys()], (now) => {
      const delay = delays.get(now.id);
      return delay !== undefined && (now.status === 'PROCESSING_DESTINATION' || now.status === 'DELAYED')
        ? { delayedReason: delay.reason, nextAttemptAt: delay.nextAttemptAt }
        : null;
    });
  }

  /**
   * Reopens ended calls whose transactions a reorg removed. A call that had succeeded is sent again; any other is
   * cancelled by an empty transaction with the same nonce.
   *
   * @param chainNonce the wallet's transaction count at the block `head`, by a quorum of nodes.
   * @returns how many calls were reopened.
   */
  async reopenLost(fence: Fence, { chainId, address }: Wallet, chainNonce: bigint, head: bigint): Promise<number> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx))) return 0;
      return execute(tx)`
        UPDATE wallet_call SET state = 'PENDING', (${columnsInSql(NOT_ENDED)}) = ROW (${Prisma.join(Object.values(NOT_ENDED))}),
          cancelled_at = CASE state WHEN 'SUCCEEDED' THEN cancelled_at ELSE coalesce(cancelled_at, now()) END
        WHERE chain_id = ${chainId} AND sender = ${address} AND nonce >= ${chainNonce} AND state <> 'PENDING'
          AND coalesce(block_number, 0) <= ${head}`;
    });
  }
}

/** Rolls back the transaction of `record`. */
class RefusedRecord extends Error {
  override readonly name = 'RefusedRecord';
  constructor(readonly result: RecordResult) {
    super(`The calls cannot be recorded: ${result.kind}`);
  }
}

/** The call has already ended. */
class AlreadyEnded extends Error {
  override readonly name = 'AlreadyEnded';
}

async function joinUpkeep(tx: Prisma.TransactionClient, wallet: Wallet, { subject, transaction }: NewCall) {
  const [sweepId, retirementId] = [
    subject.purpose === 'SWEEP' ? await joinSweep(tx, wallet.chainId, subject.transfers) : undefined,
    subject.purpose === 'RETIREMENT' ? await joinRetirement(tx, wallet, subject.waiting) : undefined,
  ];
  const isDue = subject.purpose !== 'REFUND' || (await joinRefund(tx, subject, transaction.hash));
  if (sweepId === null || retirementId === null || !isDue)
    throw new RefusedRecord({ kind: 'ended', subjects: [subject] });
  return { sweepId: sweepId ?? null, retirementId: retirementId ?? null };
}

function receiptColumns(outcome: CallOutcome) {
  if (outcome.state === 'TAKEN') return {};
  const { txHash, block, feePaid } = outcome;
  return { txHash, blockNumber: block.number, blockHash: block.hash, feePaid: feePaid.toString() };
}

/** `JournalRepository.cancel` in the caller's transaction. */
export async function cancelCall(tx: Prisma.TransactionClient, call: WalletCall): Promise<boolean> {
  if (!(await lockAllUnhaltedChains(tx))) return false;
  await lockOperations(tx, call.operationIds);
  const { count } = await tx.walletCall.updateMany({
    where: { id: call.id, state: 'PENDING', cancelledAt: null },
    data: { cancelledAt: new Date() },
  });
  if (count === 0) return false;
  await advanceOperations(tx, call.operationIds, (now) =>
    now.status === 'PROCESSING_DESTINATION' || now.status === 'DELAYED'
      ? { delayedReason: 'DELIVERY_CANCELLED', nextAttemptAt: null }
      : null,
  );
  await wake(tx, 'operator');
  return true;
}
