import type { Hex } from 'viem';
import type { JournalEntry as JournalModel, PrismaClient } from '../generated/prisma/client.js';
import { lockUnhaltedChains } from '../halt/keep-running.js';
import { fencedTransaction, type Fence } from '../lease/fence.js';
import { advanceOperation } from '../operations/advance-operation.js';
import { lockOperation } from '../operations/lock-operation.js';
import { toJournalled, type JournalledTransaction, type SignedTransaction } from './journalled-transaction.js';
import { reserveNonce, type Wallet } from './reserve-nonce.js';
import { replaceTransaction } from './replace-transaction.js';
import { writeEntry } from './write-entry.js';

/** A journalled transaction of an operation: one that pays it, or one that uses up the nonce of one that must not pay. */
export interface JournalEntry extends JournalledTransaction {
  readonly operationId: Hex;
}

/** Every transaction the relayer signs is stored here before it is broadcast, so that a crash cannot lose or double one. */
export class JournalRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /**
   * Gives the next nonce, has the transaction signed, stores it and turns the operation to PROCESSING_DESTINATION, all in
   * one database transaction.
   *
   * @param chainNonce the wallet's next nonce as the chain knows it: never go below, should the database be an old copy.
   * @returns the signed transaction, now to be broadcast; null when the operation is not due any more, or
   * one of its chains is halted.
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
   * @returns false when the previous one is not on its way any more, or a chain is halted: the new one was not stored and
   * must not be sent.
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
   * Stores a transaction that uses up the nonce of a delivery, so that others need not wait for it. The operation is
   * delayed, and not due before the nonce is used for good. An operator's step: no lease is asked for, the locks suffice.
   *
   * @returns false when the delivery is not on its way any more, or a chain is halted: the transaction was not stored and
   * must not be sent.
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
   * The cancellation is final: the delivery under its nonce can never be mined. The operation is tried anew later, which
   * asks for its origin first.
   *
   * @param txHash of the cancellation that was mined, which may be one that was replaced with higher fees.
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

  /** A transaction that could not be sent before is on its way now: its operation is not delayed any more. */
  async markBroadcast(fence: Fence, { operationId, hash }: JournalEntry): Promise<void> {
    await fencedTransaction(this.prisma, fence, (tx) =>
      advanceOperation(tx, operationId, (now) =>
        now.status === 'DELAYED' ? { destinationTxHash: hash, delayedReason: null } : null,
      ),
    );
  }

  /** The transactions of operations that are on their way on a chain, in the order of their nonces. */
  async pending(chainId: number): Promise<JournalEntry[]> {
    const rows = await this.prisma.journalEntry.findMany({
      where: { chainId, state: 'PENDING', operationId: { not: null } },
      orderBy: { nonce: 'asc' },
    });
    return rows.map(toEntry);
  }

  /** How many deliveries of an operation were given up. */
  async countReverted(operationId: Hex): Promise<number> {
    return this.prisma.journalEntry.count({ where: { operationId, state: 'REVERTED', purpose: 'DELIVERY' } });
  }

  /** The transaction of an operation that is on its way; null when none is. */
  async findPending(operationId: Hex): Promise<JournalEntry | null> {
    const row = await this.prisma.journalEntry.findFirst({ where: { operationId, state: 'PENDING' } });
    return row === null ? null : toEntry(row);
  }

  /** Whether anything of a wallet is on its way that no block has: a nonce from `chainNonce` on, whatever it is for. */
  async hasUnmined({ chainId, address }: Wallet, chainNonce: bigint): Promise<boolean> {
    const where = { chainId, sender: address, state: 'PENDING' as const, nonce: { gte: chainNonce } };
    return (await this.prisma.journalEntry.count({ where })) > 0;
  }

  /** All that were ever signed for a nonce: any one of them may be the one that was mined. */
  async withNonce(wallet: Wallet, nonce: bigint): Promise<JournalledTransaction[]> {
    const rows = await this.prisma.journalEntry.findMany({
      where: { chainId: wallet.chainId, sender: wallet.address, nonce },
      orderBy: { createdAt: 'asc' },
    });
    return rows.map(toJournalled);
  }

  /**
   * Mined and reverted for good, or its nonce was used by something else: the operation is tried anew later.
   *
   * @returns false when nothing under its nonce is on its way any more, or a chain is halted, and nothing was changed.
   */
  async revert(fence: Fence, entry: JournalEntry, reason: string, nextAttemptAt: Date | null): Promise<boolean> {
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

/** The operation was delivered, failed or taken by another attempt between the look and the write. */
export class OperationNotDueError extends Error {
  override readonly name = 'OperationNotDueError';
  constructor(readonly operationId: Hex) {
    super(`Operation ${operationId} is not due any more`);
  }
}

function toEntry(row: JournalModel): JournalEntry {
  return { ...toJournalled(row), operationId: row.operationId as Hex };
}
