import type { Hex } from 'viem';
import { Prisma, type PrismaClient } from '../generated/prisma/client.js';
import { lockAllUnhaltedChains } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { lockSweep } from '../locks/row-locks.js';
import {
  concludeNonce,
  isOnBranch,
  replaceTransaction,
  reserveNonce,
  toJournalled,
  writeEntry,
  type JournalledTransaction,
  type NonceUse,
  type SignedTransaction,
  type Wallet,
} from './journal-entry.js';

/** The most transfers of one sweep; the others wait for the next one. */
const MAX_PER_SWEEP = 1_000;

/** A journalled transaction of a sweep, or the cancellation of one. */
export interface SweepEntry extends JournalledTransaction {
  readonly sweepId: bigint;
}

/** The native XCN that transfers brought to the wallet and that was not swept. Amounts in 18-decimal units. */
export interface UnsweptTransfers {
  readonly wallet: Wallet;
  /** The final intents that they paid. */
  readonly operationIds: readonly Hex[];
  /** The sum of the transfers for these intents. */
  readonly amount: bigint;
  /** What the wallet must keep: transfers that pay no intent, or one that is not final or has failed. */
  readonly keptBack: bigint;
}

/** The transfer `t` is bound to an intent, and the wallet holds it. */
const IS_UNSWEPT = Prisma.sql`t.sweep_id IS NULL AND t.operation_id IS NOT NULL`;
/** The intent `o` of a transfer is final: nobody can ask for the money any more. */
const IS_FINAL = Prisma.sql`o.finalized_at IS NOT NULL AND o.status <> 'FAILED'`;

/** Sweeps: they move native XCN of final intents from the wallet into the float of BridgeMint. */
export class SweepRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /** The transfers to a wallet that may be swept, oldest first; null when there are none, or a sweep is pending. */
  async findUnswept(wallet: Wallet): Promise<UnsweptTransfers | null> {
    const { chainId, address } = wallet;
    const pending = await this.prisma.sweep.count({ where: { chainId, state: 'PENDING' } });
    if (pending > 0) return null;
    const rows = await this.prisma.$queryRaw<{ id: Hex; amount: Prisma.Decimal }[]>`
      SELECT o.id, t.amount FROM inbound_transfer t JOIN operation o ON o.id = t.operation_id
      WHERE t.chain_id = ${chainId} AND t.wallet = ${address} AND ${IS_UNSWEPT} AND ${IS_FINAL}
      ORDER BY t.block_number, o.id LIMIT ${MAX_PER_SWEEP}`;
    if (rows.length === 0) return null;
    const [kept] = await this.prisma.$queryRaw<{ amount: Prisma.Decimal }[]>`
      SELECT coalesce(sum(amount), 0) AS amount FROM (
        SELECT t.amount FROM inbound_transfer t
        WHERE t.chain_id = ${chainId} AND t.wallet = ${address} AND t.operation_id IS NULL
        UNION ALL
        SELECT t.amount FROM inbound_transfer t JOIN operation o ON o.id = t.operation_id
        WHERE t.chain_id = ${chainId} AND t.wallet = ${address} AND ${IS_UNSWEPT} AND NOT (${IS_FINAL})) AS kept`;
    return {
      wallet,
      operationIds: rows.map(({ id }) => id),
      amount: rows.reduce((sum, { amount }) => sum + toUnits(amount), 0n),
      keptBack: kept === undefined ? 0n : toUnits(kept.amount),
    };
  }

  /**
   * Puts the transfers into a sweep, reserves the next nonce, signs the transaction and stores it, all in one database
   * transaction.
   *
   * @param amount to sweep, at most the amount of the transfers. The wallet needed the rest of it.
   * @param chainNonce as for `JournalRepository.record`.
   * @returns the signed transaction to broadcast; null when another sweep came first, one of the transfers may not be
   *   swept any more, or a chain is halted.
   */
  async record(
    fence: Fence,
    { wallet, operationIds, amount: most }: UnsweptTransfers,
    amount: bigint,
    chainNonce: bigint,
    sign: (nonce: bigint) => Promise<SignedTransaction>,
  ): Promise<SignedTransaction | null> {
    if (amount > most) throw new Error(`The transfers brought ${most}: a sweep of ${amount} is more than that`);
    const { chainId, address } = wallet;
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx))) return null;
      // Waits for a sweep that is being recorded, and then conflicts with it.
      const [sweep] = await tx.sweep.createManyAndReturn({
        data: { chainId, amount: amount.toString() },
        skipDuplicates: true,
      });
      if (sweep === undefined) return null;
      const joined = await tx.$executeRaw`
        UPDATE inbound_transfer t SET sweep_id = ${sweep.id} FROM operation o
        WHERE o.id = t.operation_id AND t.chain_id = ${chainId} AND t.wallet = ${address} AND ${IS_UNSWEPT}
          AND ${IS_FINAL} AND o.id = ANY (${[...operationIds]})`;
      // Thrown, not returned: the sweep must vanish with the transaction.
      if (joined !== operationIds.length) throw new NotSweepableError();
      const signed = await sign(await reserveNonce(tx, wallet, chainNonce));
      await writeEntry(tx, { sweepId: sweep.id }, wallet, signed, 'SWEEP');
      return signed;
    }).catch((error: unknown) => {
      if (error instanceof NotSweepableError) return null;
      throw error;
    });
  }

  /** The pending transactions of sweeps on a chain, in the order of their nonces. */
  async pending(chainId: number): Promise<SweepEntry[]> {
    const rows = await this.prisma.journalEntry.findMany({
      where: { chainId, state: 'PENDING', sweepId: { not: null } },
      orderBy: { nonce: 'asc' },
    });
    return rows.flatMap((row) => (row.sweepId === null ? [] : [{ ...toJournalled(row), sweepId: row.sweepId }]));
  }

  /**
   * Stores a replacement: the same transaction with higher fees, or a cancellation.
   *
   * @returns as `JournalRepository.replace`.
   */
  async replace(
    fence: Fence,
    previous: SweepEntry,
    signed: SignedTransaction,
    purpose: 'SWEEP' | 'CANCELLATION',
  ): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx))) return false;
      const { sweepId } = previous;
      await lockSweep(tx, sweepId);
      return replaceTransaction(tx, previous, { sweepId }, signed, purpose);
    });
  }

  /**
   * The use of a sweep's nonce is final. Unless that use moved the coin, its transfers wait for another sweep.
   *
   * @returns false when it was concluded before, the block is not on the branch that was read, or a chain is halted.
   */
  async conclude(fence: Fence, entry: SweepEntry, use: NonceUse): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx))) return false;
      const { sweepId, chainId } = entry;
      if (!(await isOnBranch(tx, chainId, use))) return false;
      await lockSweep(tx, sweepId);
      if (!(await concludeNonce(tx, entry, use))) return false;
      const state = use.kind === 'done' ? 'CONFIRMED' : 'FAILED';
      await tx.sweep.update({ where: { id: sweepId }, data: { state, endedAt: new Date() } });
      if (state === 'FAILED') await tx.inboundTransfer.updateMany({ where: { sweepId }, data: { sweepId: null } });
      return true;
    });
  }
}

/** One of the transfers was swept, rolled back, or lost its intent, before the write. */
class NotSweepableError extends Error {
  override readonly name = 'NotSweepableError';
}

function toUnits(amount: Prisma.Decimal): bigint {
  return BigInt(amount.toFixed(0));
}
