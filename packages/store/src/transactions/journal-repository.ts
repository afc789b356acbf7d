import type { DelayReason } from '@causeway/protocol';
import type { Hex } from 'viem';
import type { JournalEntry as JournalModel, PrismaClient } from '../generated/prisma/client.js';
import { lockUnhaltedChains } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { lockOperation } from '../locks/row-locks.js';
import { advanceOperation } from '../operations/advance-operation.js';
import {
  replaceTransaction,
  reserveNonce,
  toJournalled,
  writeEntry,
  type JournalledTransaction,
  type SignedTransaction,
  type Wallet,
} from './journal-entry.js';

/** A journalled transaction of an operation: its delivery, or the cancellation of a delivery. */
export interface JournalEntry extends JournalledTransaction {
  readonly operationId: Hex;
}

/** Stores every transaction of the relayer before its broadcast, so that a crash cannot lose or double one. */
export class JournalRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /**
   * Reserves the next nonce, signs the transaction, stores it and moves the operation to PROCESSING_DESTINATION, all in
   * one database transaction.
   *
   * @param chainNonce the wallet's next nonce on the chain. The reserved nonce is never below it.
   * @returns the signed transaction to broadcast; null when the operation is not due any more, or a chain is halted.
   */
  async record(
    fence: Fence,
    operationId: Hex,
    wallet: Wallet,
    chainNonce: bigint,
    sign: (nonce: bigint) => Promise<SignedTransaction>,
  ): Promise<SignedTransaction | null> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockUnhaltedChains(tx, operationId))) return null;
      await lockOperation(tx, operationId);
      const live = await tx.journalEntry.count({ where: { operationId, state: 'PENDING' } });
      if (live > 0) return null;
      const nonce = await reserveNonce(tx, wallet, chainNonce);
      const signed = await sign(nonce);
      await writeEntry(tx, { operationId }, wallet, signed, 'DELIVERY');
      const due = await advanceOperation(tx, operationId, (now) =>
        now.status === 'AWAITING_RELAY' || now.status === 'DELAYED'
          ? { destinationTxHash: signed.hash, delayedReason: null, nextAttemptAt: null, attempts: now.attempts + 1 }
          : null,
      );
      // Thrown, not returned: the reserved nonce and the journal entry must vanish with the transaction.
      if (!due) throw new OperationNotDueError(operationId);
      return signed;
    });
  }

  /**
   * Stores a transaction with higher fees under the nonce of the one it replaces.
   *
   * @returns false when the previous one is not pending any more, or a chain is halted. The new one is not stored then
   *   and must not be sent.
   */
  async replace(fence: Fence, previous: JournalEntry, signed: SignedTransaction): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockUnhaltedChains(tx, previous.operationId))) return false;
      await lockOperation(tx, previous.operationId);
      const { operationId, purpose } = previous;
      if (!(await replaceTransaction(tx, previous, { operationId }, signed, purpose))) return false;
      if (previous.purpose === 'CANCELLATION') return true;
      await advanceOperation(tx, previous.operationId, (now) =>
        now.status === 'PROCESSING_DESTINATION' || now.status === 'DELAYED'
          ? { destinationTxHash: signed.hash, delayedReason: null }
          : null,
      );
      return true;
    });
  }

  /**
   * Stores a cancellation: a transaction that uses the nonce of a delivery, so that later nonces need not wait for it.
   * The operation is DELAYED, and not due before the cancellation is final. Operators call this; the locks make a lease
   * unnecessary.
   *
   * @returns false when the delivery is not pending any more, or a chain is halted. The cancellation is not stored then
   *   and must not be sent.
   */
  async cancel(delivery: JournalEntry, signed: SignedTransaction): Promise<boolean> {
    return this.prisma.$transaction(async (tx) => {
      if (!(await lockUnhaltedChains(tx, delivery.operationId))) return false;
      await lockOperation(tx, delivery.operationId);
      if (!(await replaceTransaction(tx, delivery, { operationId: delivery.operationId }, signed, 'CANCELLATION')))
        return false;
      await advanceOperation(tx, delivery.operationId, (now) =>
        now.status === 'PROCESSING_DESTINATION' || now.status === 'DELAYED'
          ? { delayedReason: 'DELIVERY_CANCELLED', nextAttemptAt: null }
          : null,
      );
      return true;
    });
  }

  /**
   * The cancellation is final: the delivery under its nonce can never be mined. The operation is due again at
   * `nextAttemptAt`; the next attempt checks its origin first.
   *
   * @param txHash of the mined cancellation, which may have been replaced by one with higher fees.
   * @returns false when it was concluded before, or a chain is halted.
   */
  async concludeCancellation(fence: Fence, entry: JournalEntry, txHash: Hex, nextAttemptAt: Date): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockUnhaltedChains(tx, entry.operationId))) return false;
      await lockOperation(tx, entry.operationId);
      const { count } = await tx.journalEntry.updateMany({
        where: { chainId: entry.chainId, sender: entry.sender, nonce: entry.nonce, state: 'PENDING' },
        data: { state: 'REPLACED' },
      });
      if (count === 0) return false;
      await tx.journalEntry.update({ where: { txHash }, data: { state: 'CONFIRMED' } });
      await advanceOperation(tx, entry.operationId, (now) =>
        now.status === 'DELAYED' ? { delayedReason: 'ORIGIN_NOT_CONFIRMED', nextAttemptAt } : null,
      );
      return true;
    });
  }

  /** A transaction was broadcast after an earlier failure: its operation is not delayed any more. */
  async markBroadcast(fence: Fence, { operationId, hash }: JournalEntry): Promise<void> {
    await fencedTransaction(this.prisma, fence, (tx) =>
      advanceOperation(tx, operationId, (now) =>
        now.status === 'DELAYED' ? { destinationTxHash: hash, delayedReason: null } : null,
      ),
    );
  }

  /** The pending transactions of operations on a chain, in the order of their nonces. */
  async pending(chainId: number): Promise<JournalEntry[]> {
    const rows = await this.prisma.journalEntry.findMany({
      where: { chainId, state: 'PENDING', operationId: { not: null } },
      orderBy: { nonce: 'asc' },
    });
    return rows.map(toEntry);
  }

  /** Counts the reverted deliveries of an operation. */
  async countReverted(operationId: Hex): Promise<number> {
    return this.prisma.journalEntry.count({ where: { operationId, state: 'REVERTED', purpose: 'DELIVERY' } });
  }

  /** The pending transaction of an operation; null when there is none. */
  async findPending(operationId: Hex): Promise<JournalEntry | null> {
    const row = await this.prisma.journalEntry.findFirst({ where: { operationId, state: 'PENDING' } });
    return row === null ? null : toEntry(row);
  }

  /** The pending transactions of a wallet that are not mined: those with a nonce from `chainNonce` on. */
  async unmined({ chainId, address }: Wallet, chainNonce: bigint): Promise<JournalledTransaction[]> {
    const where = { chainId, sender: address, state: 'PENDING' as const, nonce: { gte: chainNonce } };
    return (await this.prisma.journalEntry.findMany({ where })).map(toJournalled);
  }

  /** All transactions that were ever signed for a nonce: any one of them may be mined. */
  async withNonce(wallet: Wallet, nonce: bigint): Promise<JournalledTransaction[]> {
    const rows = await this.prisma.journalEntry.findMany({
      where: { chainId: wallet.chainId, sender: wallet.address, nonce },
      orderBy: { createdAt: 'asc' },
    });
    return rows.map(toJournalled);
  }

  /**
   * The delivery was mined and reverted, and that is final, or another transaction used its nonce. The operation is due
   * again at `nextAttemptAt`.
   *
   * @returns false when no transaction with its nonce is pending any more, or a chain is halted; nothing is changed
   *   then.
   */
  async revert(fence: Fence, entry: JournalEntry, reason: DelayReason, nextAttemptAt: Date | null): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockUnhaltedChains(tx, entry.operationId))) return false;
      await lockOperation(tx, entry.operationId);
      const { count } = await tx.journalEntry.updateMany({
        where: { chainId: entry.chainId, sender: entry.sender, nonce: entry.nonce, state: 'PENDING' },
        data: { state: 'REVERTED' },
      });
      if (count === 0) return false;
      await advanceOperation(tx, entry.operationId, (now) =>
        now.status === 'PROCESSING_DESTINATION' || now.status === 'DELAYED'
          ? { delayedReason: reason, nextAttemptAt }
          : null,
      );
      return true;
    });
  }
}

/** The operation was delivered, failed, or taken by another attempt before the write. */
export class OperationNotDueError extends Error {
  override readonly name = 'OperationNotDueError';
  constructor(readonly operationId: Hex) {
    super(`Operation ${operationId} is not due any more`);
  }
}

function toEntry(row: JournalModel): JournalEntry {
  return { ...toJournalled(row), operationId: row.operationId as Hex };
}
