import type { Asset, DelayReason } from '@causeway/protocol';
import type { Hex } from 'viem';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { lockAllSendingChains, lockAllUnhaltedChains } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { lockCall, lockOperations } from '../locks/row-locks.js';
import { wake } from '../locks/wake-ups.js';
import { advanceOperation } from '../operations/advance-operation.js';
import type { OperationDelay } from '../operations/operation-repository.js';
import { endRetirement, joinRetirement } from './retirement-evidence.js';
import { endSweep, joinSweep } from './sweep-repository.js';
import {
  insertCalls,
  isOnBranch,
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

/** What became of calls to be journalled. `ended`: these subjects do not wait any more; nothing was stored. */
export type RecordResult =
  | { readonly kind: 'recorded' }
  | { readonly kind: 'halted' | 'nonce-used' }
  | { readonly kind: 'ended'; readonly subjects: readonly CallSubject[] };

/** Stores every transaction of the relayer before its broadcast, so that a crash cannot lose or double one. */
export class JournalRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /** The next nonce that no call of the wallet has; 0 for a new wallet. */
  async nextNonce({ chainId, address }: Wallet): Promise<bigint> {
    const last = await this.prisma.walletCall.findFirst({
      where: { chainId, sender: address },
      orderBy: { nonce: 'desc' },
      select: { nonce: true },
    });
    return last === null ? 0n : last.nonce + 1n;
  }

  /** The calls of a wallet that have not ended, in the order of their nonces. */
  async pending({ chainId, address }: Wallet): Promise<WalletCall[]> {
    const rows = await this.prisma.walletCall.findMany({
      // Not by state: PostgreSQL would not use the partial index for a parameter.
      where: { chainId, sender: address, endedAt: null },
      orderBy: { nonce: 'asc' },
      include: WITH_CALL,
    });
    return rows.map(toWalletCall);
  }

  /** The call of a nonce, also an ended one. */
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

  /** How many calls with an operation were mined and reverted. */
  async countReverted(operationId: Hex): Promise<number> {
    return this.prisma.callOperation.count({ where: { operationId, call: { state: 'REVERTED' } } });
  }

  /** What the final transactions of a wallet paid for gas since a time, in wei. */
  async feesPaidSince({ chainId, address }: Wallet, since: Date): Promise<bigint> {
    const { _sum } = await this.prisma.walletCall.aggregate({
      where: { chainId, sender: address, endedAt: { gte: since } },
      _sum: { feePaid: true },
    });
    return BigInt(_sum.feePaid?.toFixed(0) ?? 0);
  }

  /**
   * The sum of the mints of an asset whose calls have this nonce or a later one: signed, and perhaps mined. A delivery
   * that lost its origin is withheld and left out, so that it does not hold up others.
   */
  async mintsFrom({ chainId, address }: Wallet, nonce: bigint, asset: Asset): Promise<bigint> {
    const [row] = await this.prisma.$queryRaw<{ amount: string }[]>`
      SELECT coalesce(sum(o.output_amount), 0)::text AS amount
      FROM wallet_call c JOIN call_operation l ON l.call_id = c.id JOIN operation o ON o.id = l.operation_id
      WHERE c.chain_id = ${chainId} AND c.sender = ${address} AND c.nonce >= ${nonce}
        AND c.state IN ('PENDING', 'SUCCEEDED') AND c.purpose = 'DELIVERY' AND l.freed_at IS NULL
        AND o.asset = ${asset}::"Asset" AND o.kind = 'DEPOSIT' AND EXISTS (
          SELECT 1 FROM chain_event e WHERE e.chain_id = o.origin_chain_id AND e.tx_hash = o.origin_tx_hash
            AND e.log_index = o.origin_log_index AND e.block_hash = o.origin_block_hash AND e.operation_id = o.id)`;
    return BigInt(row?.amount ?? 0);
  }

  /**
   * Stores signed calls with what they serve, all of them or none. Operations become PROCESSING_DESTINATION. Nothing is
   * stored while a chain or the deliveries are halted.
   *
   * @returns `nonce-used` when another call has one of the nonces: sign again with others.
   */
  async record(fence: Fence, wallet: Wallet, calls: readonly NewCall[]): Promise<RecordResult> {
    try {
      return await fencedTransaction(this.prisma, fence, async (tx) => {
        if (!(await lockAllSendingChains(tx))) return { kind: 'halted' };
        const joined = [];
        for (const call of calls) joined.push({ ...call, ...(await joinUpkeep(tx, wallet, call.subject)) });
        const delivered = calls.flatMap(({ subject }) => (subject.purpose === 'DELIVERY' ? subject.operationIds : []));
        await lockOperations(tx, delivered);
        const ids = await insertCalls(tx, wallet, joined);
        if (ids === null) throw new RefusedRecord({ kind: 'nonce-used' });
        await this.joinOperations(tx, calls, ids);
        return { kind: 'recorded' };
      });
    } catch (error) {
      if (error instanceof RefusedRecord) return error.result;
      throw error;
    }
  }

  /** Links operations to their calls and moves them to PROCESSING_DESTINATION. The caller has locked them. */
  private async joinOperations(tx: Prisma.TransactionClient, calls: readonly NewCall[], ids: readonly bigint[]) {
    const links = calls.flatMap(({ subject, transaction }, index) =>
      subject.purpose === 'DELIVERY'
        ? subject.operationIds.map((operationId, position) => {
            return { subject, hash: transaction.hash, row: { callId: ids[index] ?? 0n, operationId, position } };
          })
        : [],
    );
    if (links.length === 0) return;
    const operationIds = links.map(({ row }) => row.operationId);
    const live = await tx.callOperation.findMany({ where: { operationId: { in: operationIds }, freedAt: null } });
    const taken = new Set(live.map(({ operationId }) => operationId));
    const ended = new Set<CallSubject>();
    for (const { subject, hash, row } of links) {
      const isDue = await advanceOperation(tx, row.operationId, (now) =>
        (now.status === 'AWAITING_RELAY' || now.status === 'DELAYED') && now.holdReleasedAt !== null
          ? { destinationTxHash: hash, delayedReason: null, nextAttemptAt: null, attempts: now.attempts + 1 }
          : null,
      );
      if (!isDue || taken.has(row.operationId)) ended.add(subject);
    }
    // Thrown, not returned: all that was written must vanish with the transaction.
    if (ended.size > 0) throw new RefusedRecord({ kind: 'ended', subjects: [...ended] });
    await tx.callOperation.createMany({ data: links.map(({ row }) => row) });
  }

  /**
   * Stores another transaction for the nonce of a call: with higher fees, or a cancellation.
   *
   * @returns false when the call has ended, was cancelled or has a newer transaction, or a chain is halted. So it is
   *   while the deliveries are halted, unless it is a cancellation, which pays nothing. The new transaction is not
   *   stored then and must not be sent.
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

  /** A transaction is with a node after an earlier failure: its operations are not delayed any more. */
  async markBroadcast(fence: Fence, call: WalletCall, hash: Hex): Promise<void> {
    await fencedTransaction(this.prisma, fence, async (tx) => {
      await lockOperations(tx, call.operationIds);
      const now = await lockCall(tx, call.id);
      if (now?.state === 'PENDING' && now.cancelledAt === null) await this.showTransaction(tx, call, hash);
    });
  }

  private async showTransaction(tx: Prisma.TransactionClient, call: WalletCall, hash: Hex): Promise<void> {
    for (const id of call.operationIds)
      await advanceOperation(tx, id, (now) =>
        (now.status === 'PROCESSING_DESTINATION' && now.destinationTxHash !== hash) || now.status === 'DELAYED'
          ? { destinationTxHash: hash, delayedReason: null, nextAttemptAt: null }
          : null,
      );
  }

  /** No node took the transaction of a pending call: its operations are delayed until one does. */
  async delayPending(fence: Fence, call: WalletCall, reason: DelayReason): Promise<void> {
    await fencedTransaction(this.prisma, fence, async (tx) => {
      await lockOperations(tx, call.operationIds);
      if ((await lockCall(tx, call.id))?.state !== 'PENDING') return;
      for (const id of call.operationIds)
        await advanceOperation(tx, id, (now) =>
          now.status === 'PROCESSING_DESTINATION' ? { delayedReason: reason, nextAttemptAt: null } : null,
        );
    });
  }

  /**
   * Cancels a pending call: from now on only a transaction that pays nothing is sent for its nonce. Its operations are
   * DELAYED and not due before the nonce is used permanently.
   *
   * @param fence null for operators: the locks make a lease unnecessary.
   * @returns false when the call has ended or was cancelled before, or a chain is halted.
   */
  async cancel(fence: Fence | null, call: WalletCall): Promise<boolean> {
    const cancelIn = async (tx: Prisma.TransactionClient) => {
      if (!(await lockAllUnhaltedChains(tx))) return false;
      await lockOperations(tx, call.operationIds);
      const { count } = await tx.walletCall.updateMany({
        where: { id: call.id, state: 'PENDING', cancelledAt: null },
        data: { cancelledAt: new Date() },
      });
      if (count === 0) return false;
      for (const id of call.operationIds)
        await advanceOperation(tx, id, (now) =>
          now.status === 'PROCESSING_DESTINATION' || now.status === 'DELAYED'
            ? { delayedReason: 'DELIVERY_CANCELLED', nextAttemptAt: null }
            : null,
        );
      await wake(tx, 'operator');
      return true;
    };
    return fence === null ? this.prisma.$transaction(cancelIn) : fencedTransaction(this.prisma, fence, cancelIn);
  }

  /**
   * The use of a call's nonce is final: the call ends. What it did not pay waits for another call.
   *
   * @param unpaid the operations that the call did not pay, with their delays.
   * @returns false when it was concluded before, the block is not on the branch that was read, or a chain is halted.
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
      await lockOperations(tx, call.operationIds);
      const { count } = await tx.walletCall.updateMany({
        where: { id: call.id, state: 'PENDING' },
        data: { state: outcome.state, endedAt: new Date(), ...receiptColumns(outcome) },
      });
      // Thrown, not returned: the end of a retirement or sweep must vanish with the transaction.
      if (count === 0) throw new AlreadyEnded();
      const free = unpaid.map(({ operationId }) => operationId);
      await tx.callOperation.updateMany({
        where: { callId: call.id, operationId: { in: free }, freedAt: null },
        data: { freedAt: new Date() },
      });
      for (const { operationId, reason, nextAttemptAt } of unpaid)
        await advanceOperation(tx, operationId, (now) =>
          now.status === 'PROCESSING_DESTINATION' || now.status === 'DELAYED'
            ? { delayedReason: reason, nextAttemptAt }
            : null,
        );
      return true;
    }).catch((error: unknown) => {
      if (error instanceof AlreadyEnded) return false;
      throw error;
    });
  }

  /**
   * Opens the ended calls again whose nonces the chain does not have any more: a reorg removed their transactions. One
   * that had paid is sent again; for any other one the nonce is used up for nothing.
   *
   * @param chainNonce the transactions of the wallet up to the block `head`, as a quorum of nodes counts them.
   * @returns how many were opened.
   */
  async reopenLost(fence: Fence, { chainId, address }: Wallet, chainNonce: bigint, head: bigint): Promise<number> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx))) return 0;
      return tx.$executeRaw`
        UPDATE wallet_call SET state = 'PENDING', ended_at = NULL, tx_hash = NULL, block_number = NULL, block_hash = NULL,
          fee_paid = NULL, cancelled_at = CASE state WHEN 'SUCCEEDED' THEN cancelled_at ELSE coalesce(cancelled_at, now()) END
        WHERE chain_id = ${chainId} AND sender = ${address} AND nonce >= ${chainNonce} AND state <> 'PENDING'
          AND coalesce(block_number, 0) <= ${head}`;
    });
  }
}

/** Ends the transaction of a record that stores nothing. */
class RefusedRecord extends Error {
  override readonly name = 'RefusedRecord';
  constructor(readonly result: RecordResult) {
    super(`The calls cannot be recorded: ${result.kind}`);
  }
}

/** The call was concluded before. */
class AlreadyEnded extends Error {
  override readonly name = 'AlreadyEnded';
}

async function joinUpkeep(tx: Prisma.TransactionClient, wallet: Wallet, subject: CallSubject) {
  const [sweepId, retirementId] = [
    subject.purpose === 'SWEEP' ? await joinSweep(tx, wallet, subject.unswept, subject.amount) : undefined,
    subject.purpose === 'RETIREMENT' ? await joinRetirement(tx, wallet, subject.waiting) : undefined,
  ];
  if (sweepId === null || retirementId === null) throw new RefusedRecord({ kind: 'ended', subjects: [subject] });
  return { sweepId: sweepId ?? null, retirementId: retirementId ?? null };
}

function receiptColumns(outcome: CallOutcome) {
  if (outcome.state === 'TAKEN') return {};
  const { txHash, block, feePaid } = outcome;
  return { txHash, blockNumber: block.number, blockHash: block.hash, feePaid: feePaid.toString() };
}
