import type { Address, Hex } from 'viem';
import type { JournalEntry as JournalModel, Prisma, PrismaClient } from '../generated/prisma/client.js';
import { fencedTransaction, type Fence } from '../lease/fence.js';
import { advanceOperation } from '../operations/advance-operation.js';
import { lockOperation } from '../operations/lock-operation.js';

/** A transaction as it was signed. Fees in wei per gas. */
export interface SignedTransaction {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** A journalled transaction of an operation. */
export interface JournalEntry extends SignedTransaction {
  readonly operationId: Hex;
  readonly chainId: number;
  readonly sender: Address;
  readonly state: 'PENDING' | 'REPLACED' | 'CONFIRMED' | 'REVERTED';
  readonly createdAt: Date;
}

/** The wallet of a chain. */
export interface Wallet {
  readonly chainId: number;
  readonly address: Address;
}

/** Every transaction the relayer signs is stored here before it is broadcast, so that a crash cannot lose or double one. */
export class JournalRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /**
   * Gives the next nonce, has the transaction signed, stores it and turns the operation to PROCESSING_DESTINATION, all in
   * one database transaction.
   *
   * @param chainNonce the wallet's next nonce as the chain knows it: never go below, should the database be an old copy.
   * @returns the signed transaction, now to be broadcast; null when the operation is not due any more.
   */
  async record(
    fence: Fence,
    operationId: Hex,
    wallet: Wallet,
    chainNonce: bigint,
    sign: (nonce: bigint) => Promise<SignedTransaction>,
  ): Promise<SignedTransaction | null> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      await lockOperation(tx, operationId);
      const live = await tx.journalEntry.count({ where: { operationId, state: 'PENDING' } });
      if (live > 0) return null;
      const nonce = await reserveNonce(tx, wallet, chainNonce);
      const signed = await sign(nonce);
      await tx.journalEntry.create({ data: toRow(operationId, wallet, signed) });
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
   * @returns false when the previous one is not on its way any more: the new one was not stored and must not be sent.
   */
  async replace(fence: Fence, previous: JournalEntry, signed: SignedTransaction): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      await lockOperation(tx, previous.operationId);
      const live = { txHash: previous.hash, state: 'PENDING' as const };
      const { count } = await tx.journalEntry.updateMany({ where: live, data: { state: 'REPLACED' } });
      if (count === 0) return false;
      const wallet = { chainId: previous.chainId, address: previous.sender };
      await tx.journalEntry.create({ data: toRow(previous.operationId, wallet, signed) });
      await advanceOperation(tx, previous.operationId, (now) =>
        now.status === 'PROCESSING_DESTINATION' || now.status === 'DELAYED'
          ? { destinationTxHash: signed.hash, delayedReason: null }
          : null,
      );
      return true;
    });
  }

  /** A transaction that could not be sent before is on its way now: its operation is not delayed any more. */
  async onItsWay(fence: Fence, { operationId, hash }: JournalEntry): Promise<void> {
    await fencedTransaction(this.prisma, fence, (tx) =>
      advanceOperation(tx, operationId, (now) =>
        now.status === 'DELAYED' ? { destinationTxHash: hash, delayedReason: null } : null,
      ),
    );
  }

  /** The transactions on their way on a chain, in the order of their nonces. */
  async pending(chainId: number): Promise<JournalEntry[]> {
    const rows = await this.prisma.journalEntry.findMany({
      where: { chainId, state: 'PENDING' },
      orderBy: { nonce: 'asc' },
    });
    return rows.map(toEntry);
  }

  /** All that were ever signed for a nonce: any one of them may be the one that was mined. */
  async withNonce(wallet: Wallet, nonce: bigint): Promise<JournalEntry[]> {
    const rows = await this.prisma.journalEntry.findMany({
      where: { chainId: wallet.chainId, sender: wallet.address, nonce },
      orderBy: { createdAt: 'asc' },
    });
    return rows.map(toEntry);
  }

  /**
   * Mined and reverted for good, or its nonce was used by something else: the operation is tried anew later.
   *
   * @returns false when nothing under its nonce is on its way any more, and nothing was changed.
   */
  async revert(fence: Fence, entry: JournalEntry, reason: string, nextAttemptAt: Date): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
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

async function reserveNonce(tx: Prisma.TransactionClient, wallet: Wallet, chainNonce: bigint): Promise<bigint> {
  const key = { chainId: wallet.chainId, address: wallet.address };
  await tx.walletNonce.createMany({ data: { ...key, nextNonce: chainNonce }, skipDuplicates: true });
  const [row] = await tx.$queryRaw<{ next_nonce: bigint }[]>`
    UPDATE wallet_nonce SET next_nonce = greatest(next_nonce, ${chainNonce}) + 1
    WHERE chain_id = ${key.chainId} AND address = ${key.address} RETURNING next_nonce`;
  if (row === undefined) throw new Error(`No nonce row for ${key.address} on chain ${key.chainId}`);
  return row.next_nonce - 1n;
}

function toRow(operationId: Hex, wallet: Wallet, signed: SignedTransaction): Prisma.JournalEntryUncheckedCreateInput {
  const { hash, ...rest } = signed;
  return { txHash: hash, operationId, chainId: wallet.chainId, sender: wallet.address, ...rest };
}

function toEntry(row: JournalModel): JournalEntry {
  const { txHash, ...rest } = row;
  return {
    ...rest,
    hash: txHash as Hex,
    raw: row.raw as Hex,
    operationId: row.operationId as Hex,
    sender: row.sender as Address,
  };
}
