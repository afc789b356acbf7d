import type { Asset } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Hex } from 'viem';
import type { PrismaClient } from '../generated/prisma/client.js';
import { lockAllUnhaltedChains } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { lockRetirement } from '../locks/row-locks.js';
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
import {
  COMPLETED_BURNS,
  EVIDENCE_COLUMNS,
  newestEvidence,
  type EvidenceRow,
  type RetirementEvidence,
  type WaitingWithdrawals,
} from './retirement-evidence.js';

/** The most withdrawals of one retirement; the others wait for the next one. */
const MAX_PER_RETIREMENT = 1_000;

/** A journalled transaction of a retirement, or the cancellation of one. */
export interface RetirementEntry extends JournalledTransaction {
  readonly retirementId: bigint;
}

/** Retirements: they destroy the tokens of completed withdrawals. A withdrawal is in one retirement at a time. */
export class RetirementRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /**
   * The completed withdrawals of a token that wait, oldest first; null when there are none, or a retirement is pending.
   */
  async findWaiting(chainId: number, asset: Asset): Promise<WaitingWithdrawals | null> {
    const { rows } = await this.pool.query<EvidenceRow & { id: string; amount: string; settled_at: Date }>({
      name: 'retirements-waiting',
      text: `SELECT o.id, o.amount, o.settled_at, ${EVIDENCE_COLUMNS} ${COMPLETED_BURNS}
          AND o.origin_chain_id = $1 AND o.asset = $2::"Asset"
          AND NOT EXISTS (SELECT 1 FROM retired_operation t WHERE t.operation_id = o.id)
          AND NOT EXISTS (SELECT 1 FROM retirement p WHERE p.chain_id = $1 AND p.asset = $2::"Asset" AND p.state = 'PENDING')
        ORDER BY o.settled_at, o.id LIMIT ${MAX_PER_RETIREMENT}`,
      values: [chainId, asset],
    });
    const [oldest] = rows;
    const evidence = newestEvidence(rows);
    if (oldest === undefined || evidence === null) return null;
    const lastFailed = await this.prisma.retirement.findFirst({
      where: { chainId, asset, state: 'FAILED' },
      orderBy: { endedAt: 'desc' },
    });
    return {
      ...evidence,
      chainId,
      asset,
      operationIds: rows.map(({ id }) => id as Hex),
      amount: rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
      oldestSettledAt: oldest.settled_at,
      lastFailedAt: lastFailed?.endedAt ?? null,
    };
  }

  /**
   * The amount of a token that the wallet must hold at a block: all burns up to there, paid or not, that are neither
   * retired nor wait for an operator.
   */
  async unretiredAmount(chainId: number, asset: Asset, blockNumber: bigint): Promise<bigint> {
    const { rows } = await this.pool.query<{ amount: string }>({
      name: 'retirements-handed-in',
      text: `SELECT coalesce(sum(o.amount), 0) AS amount FROM operation o
        JOIN chain_event w ON w.chain_id = o.origin_chain_id AND w.tx_hash = o.origin_tx_hash AND w.log_index = o.origin_log_index
          AND w.block_hash = o.origin_block_hash AND w.operation_id = o.id AND w.name = 'Withdraw'
        WHERE o.kind = 'BURN' AND o.origin_chain_id = $1 AND o.asset = $2::"Asset" AND o.origin_block_number <= $3
          AND o.status <> 'FAILED' AND o.delayed_reason IS DISTINCT FROM 'KEEPS_REVERTING'
          AND NOT EXISTS (SELECT 1 FROM retired_operation t WHERE t.operation_id = o.id)`,
      values: [chainId, asset, blockNumber.toString()],
    });
    return BigInt(rows[0]?.amount ?? 0);
  }

  /**
   * Puts the withdrawals into a retirement, reserves the next nonce, signs the transaction and stores it, all in one
   * database transaction.
   *
   * @param chainNonce as for `JournalRepository.record`.
   * @returns the signed transaction to broadcast; null when another retirement of the token came first, one of the
   *   withdrawals does not wait any more, or a chain is halted.
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
      throw new Error(`A wallet of chain ${wallet.chainId} cannot retire tokens of chain ${chainId}`);
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx))) return null;
      // Waits for a retirement of the token that is being recorded, and then conflicts with it.
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

  /** The pending transactions of retirements on a chain, in the order of their nonces. */
  async pending(chainId: number): Promise<RetirementEntry[]> {
    const rows = await this.prisma.journalEntry.findMany({
      where: { chainId, state: 'PENDING', retirementId: { not: null } },
      orderBy: { nonce: 'asc' },
    });
    return rows.flatMap((row) =>
      row.retirementId === null ? [] : [{ ...toJournalled(row), retirementId: row.retirementId }],
    );
  }

  /** The evidence of a retirement; null when one of its burns or releases was rolled back. */
  async evidence(retirementId: bigint): Promise<RetirementEvidence | null> {
    const { rows } = await this.pool.query<EvidenceRow>(
      `SELECT ${EVIDENCE_COLUMNS} ${COMPLETED_BURNS}
         AND o.id IN (SELECT t.operation_id FROM retired_operation t WHERE t.retirement_id = $1)`,
      [retirementId.toString()],
    );
    const count = await this.prisma.retiredOperation.count({ where: { retirementId } });
    return rows.length === count ? newestEvidence(rows) : null;
  }

  /**
   * Stores a replacement: the same transaction with higher fees, or a cancellation.
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
   * The use of a retirement's nonce is final. Unless that use retired its withdrawals, they wait for another
   * retirement.
   *
   * @returns false when it was concluded before, the block is not on the branch that was read, or a chain is halted.
   */
  async conclude(fence: Fence, entry: RetirementEntry, use: NonceUse): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx))) return false;
      const { retirementId, chainId } = entry;
      if (!(await isOnBranch(tx, chainId, use))) return false;
      await lockRetirement(tx, retirementId);
      if (!(await concludeNonce(tx, entry, use))) return false;
      const state = use.kind === 'done' ? 'CONFIRMED' : 'FAILED';
      await tx.retirement.update({ where: { id: retirementId }, data: { state, endedAt: new Date() } });
      if (state === 'FAILED') await tx.retiredOperation.deleteMany({ where: { retirementId } });
      return true;
    });
  }
}

/** One of the withdrawals was retired, or its burn or release was rolled back, before the write. */
class NotWaitingError extends Error {
  override readonly name = 'NotWaitingError';
}
