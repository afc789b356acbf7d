import type { Asset } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Hex } from 'viem';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { lockAllUnhaltedChains } from '../halt/keep-running.js';
import {
  toJournalled,
  type JournalledTransaction,
  type SignedTransaction,
} from '../transactions/journalled-transaction.js';
import { reserveNonce, type Wallet } from '../transactions/reserve-nonce.js';
import { replaceTransaction } from '../transactions/replace-transaction.js';
import { writeEntry } from '../transactions/write-entry.js';
import { fencedTransaction, type Fence } from '../lease/fence.js';
import { KEEPS_REVERTING } from '../operations/operation-repository.js';
import { COMPLETED_BURNS } from './completed-burns.js';
import { BURN_COLUMNS, newestOf, type BurnRow } from './newest-of.js';
import type { RetirementEvidence, WaitingWithdrawals } from './waiting-withdrawals.js';

/** So many withdrawals go into one retirement; the rest waits for the next. */
const MOST_AT_ONCE = 1_000;

/** A journalled transaction of a retirement: the one that retires, or one that uses up its nonce. */
export interface RetirementEntry extends JournalledTransaction {
  readonly retirementId: bigint;
}

/** How the nonce of a retirement was used for good: by which transaction of the journal, or by something else. */
export type NonceUse =
  | { readonly kind: 'retired' | 'reverted' | 'cancelled'; readonly txHash: Hex; readonly block: MinedIn }
  | { readonly kind: 'taken' };

/** The block of a receipt. */
export interface MinedIn {
  readonly number: bigint;
  readonly hash: Hex;
}

/** What completed withdrawals handed in, and the transactions that destroy it. None is in two retirements at once. */
export class RetirementRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /** The completed withdrawals of a token that wait, oldest first; null when none does, or a retirement is on its way. */
  async findWaiting(chainId: number, asset: Asset): Promise<WaitingWithdrawals | null> {
    const { rows } = await this.pool.query<BurnRow & { id: string; amount: string; settled_at: Date }>({
      name: 'retirements-waiting',
      text: `SELECT o.id, o.amount, o.settled_at, ${BURN_COLUMNS} ${COMPLETED_BURNS}
          AND o.origin_chain_id = $1 AND o.asset = $2::"Asset"
          AND NOT EXISTS (SELECT 1 FROM retired_operation t WHERE t.operation_id = o.id)
          AND NOT EXISTS (SELECT 1 FROM retirement p WHERE p.chain_id = $1 AND p.asset = $2::"Asset" AND p.state = 'PENDING')
        ORDER BY o.settled_at, o.id LIMIT ${MOST_AT_ONCE}`,
      values: [chainId, asset],
    });
    const [oldest] = rows;
    const landmarks = newestOf(rows);
    if (oldest === undefined || landmarks === null) return null;
    const lastFailed = await this.prisma.retirement.findFirst({
      where: { chainId, asset, state: 'FAILED' },
      orderBy: { endedAt: 'desc' },
    });
    return {
      ...landmarks,
      chainId,
      asset,
      operationIds: rows.map(({ id }) => id as Hex),
      amount: rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
      oldestSettledAt: oldest.settled_at,
      lastFailedAt: lastFailed?.endedAt ?? null,
    };
  }

  /**
   * What the wallet must hold of a token at a block: everything that was handed in up to there and was neither retired nor
   * is in the hands of an operator, paid or not.
   */
  async unretiredAmount(chainId: number, asset: Asset, blockNumber: bigint): Promise<bigint> {
    const { rows } = await this.pool.query<{ amount: string }>({
      name: 'retirements-handed-in',
      text: `SELECT coalesce(sum(o.amount), 0) AS amount FROM operation o
        JOIN chain_event w ON w.chain_id = o.origin_chain_id AND w.tx_hash = o.origin_tx_hash AND w.log_index = o.origin_log_index
          AND w.block_hash = o.origin_block_hash AND w.operation_id = o.id AND w.name = 'Withdraw'
        WHERE o.kind = 'BURN' AND o.origin_chain_id = $1 AND o.asset = $2::"Asset" AND o.origin_block_number <= $3
          AND o.status <> 'FAILED' AND o.delayed_reason IS DISTINCT FROM '${KEEPS_REVERTING}'
          AND NOT EXISTS (SELECT 1 FROM retired_operation t WHERE t.operation_id = o.id)`,
      values: [chainId, asset, blockNumber.toString()],
    });
    return BigInt(rows[0]?.amount ?? 0);
  }

  /**
   * Puts the withdrawals into a retirement, gives it the next nonce, has its transaction signed and stores it, all in one
   * database transaction.
   *
   * @param chainNonce as for `JournalRepository.record`.
   * @returns the signed transaction, now to be broadcast; null when another retirement of the token came first, one of the
   * withdrawals does not wait any more, or a chain is halted.
   */
  async record(
    fence: Fence,
    waiting: WaitingWithdrawals,
    wallet: Wallet,
    chainNonce: bigint,
    sign: (nonce: bigint) => Promise<SignedTransaction>,
  ): Promise<SignedTransaction | null> {
    const { chainId, asset, amount, operationIds } = waiting;
    if (wallet.chainId !== chainId)
      throw new Error(`A wallet of chain ${wallet.chainId} retires nothing on ${chainId}`);
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx))) return null;
      // Waits for another one that is being recorded, and then finds that it stands in the way.
      const [retirement] = await tx.retirement.createManyAndReturn({
        data: { chainId, asset, amount: amount.toString() },
        skipDuplicates: true,
      });
      if (retirement === undefined) return null;
      const joined = await tx.$queryRawUnsafe<{ id: string }[]>(
        `INSERT INTO retired_operation (operation_id, retirement_id)
         SELECT o.id, $1::bigint ${COMPLETED_BURNS} AND o.origin_chain_id = $2 AND o.asset = $3::"Asset" AND o.id = ANY ($4)
         ORDER BY o.id ON CONFLICT DO NOTHING RETURNING operation_id AS id`,
        retirement.id,
        chainId,
        asset,
        operationIds,
      );
      // Thrown, not returned: the retirement must vanish with the transaction.
      if (joined.length !== operationIds.length) throw new NotWaitingError();
      const signed = await sign(await reserveNonce(tx, wallet, chainNonce));
      await writeEntry(tx, { retirementId: retirement.id }, wallet, signed, 'RETIREMENT');
      return signed;
    }).catch((error: unknown) => {
      if (error instanceof NotWaitingError) return null;
      throw error;
    });
  }

  /** The transactions of retirements that are on their way on a chain. */
  async pending(chainId: number): Promise<RetirementEntry[]> {
    const rows = await this.prisma.journalEntry.findMany({
      where: { chainId, state: 'PENDING', retirementId: { not: null } },
      orderBy: { nonce: 'asc' },
    });
    return rows.flatMap((row) =>
      row.retirementId === null ? [] : [{ ...toJournalled(row), retirementId: row.retirementId }],
    );
  }

  /** What a retirement rests on; null when a burn or a release of it is not among what was read any more. */
  async evidence(retirementId: bigint): Promise<RetirementEvidence | null> {
    const { rows } = await this.pool.query<BurnRow>(
      `SELECT ${BURN_COLUMNS} ${COMPLETED_BURNS}
         AND o.id IN (SELECT t.operation_id FROM retired_operation t WHERE t.retirement_id = $1)`,
      [retirementId.toString()],
    );
    const count = await this.prisma.retiredOperation.count({ where: { retirementId } });
    return rows.length === count ? newestOf(rows) : null;
  }

  /**
   * Stores a transaction under the nonce of the one it replaces: the same with higher fees, or one that does nothing.
   *
   * @returns as `JournalRepository.replace`.
   */
  async replace(
    fence: Fence,
    previous: RetirementEntry,
    signed: SignedTransaction,
    purpose: 'RETIREMENT' | 'CANCELLATION',
  ): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx))) return false;
      const { retirementId } = previous;
      await lockRetirement(tx, retirementId);
      return replaceTransaction(tx, previous, { retirementId }, signed, purpose);
    });
  }

  /**
   * The nonce of a retirement is used for good. Unless that retired them, its withdrawals wait for another one.
   *
   * @returns false when it was concluded before, the block is not of the branch that was read, or a chain is halted.
   */
  async conclude(fence: Fence, entry: RetirementEntry, use: NonceUse): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx))) return false;
      const { retirementId, chainId, sender, nonce } = entry;
      if (use.kind !== 'taken' && !(await isOnBranch(tx, chainId, use.block))) return false;
      await lockRetirement(tx, retirementId);
      const { count } = await tx.journalEntry.updateMany({
        where: { chainId, sender, nonce, state: 'PENDING' },
        data: { state: use.kind === 'taken' ? 'REVERTED' : 'REPLACED' },
      });
      if (count === 0) return false;
      if (use.kind !== 'taken') {
        const state = use.kind === 'reverted' ? 'REVERTED' : 'CONFIRMED';
        await tx.journalEntry.update({ where: { txHash: use.txHash, retirementId }, data: { state } });
      }
      const state = use.kind === 'retired' ? 'CONFIRMED' : 'FAILED';
      await tx.retirement.update({ where: { id: retirementId }, data: { state, endedAt: new Date() } });
      if (state === 'FAILED') await tx.retiredOperation.deleteMany({ where: { retirementId } });
      return true;
    });
  }
}

/** One of the withdrawals was retired, or its burn or release taken back, between the look and the write. */
class NotWaitingError extends Error {
  override readonly name = 'NotWaitingError';
}

async function lockRetirement(tx: Prisma.TransactionClient, id: bigint): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM retirement WHERE id = ${id} FOR UPDATE`;
}

/** Whether what was read does not contradict a block: one that was read too long ago is not stored any more. */
async function isOnBranch(tx: Prisma.TransactionClient, chainId: number, { number, hash }: MinedIn): Promise<boolean> {
  const row = await tx.chainBlock.findUnique({ where: { chainId_number: { chainId, number } } });
  return row === null || row.hash === hash;
}
