import type { Pool } from 'pg';
import type { Address, Hex } from 'viem';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { lockChainShared } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import type { ScannedDust, ScannedTransfer } from '../scan/scanned-block.js';
import { foldDust, storeArrivals } from '../scan/store-blocks.js';
import type { Wallet } from '../transactions/wallet-call.js';
import { query } from '../sql/query.js';

/** The state of a wallet at the end of a block. Balance in wei. */
export interface WalletState {
  readonly blockNumber: bigint;
  readonly balance: bigint;
  readonly nonce: bigint;
}

/** A block up to which a wallet's balance is accounted for, with the findings in it. */
export interface AccountedBlock {
  readonly state: WalletState;
  /** The previous accounted block, from which this one was computed. Null for the first one. */
  readonly since: bigint | null;
  readonly block: { readonly hash: Hex; readonly timestamp: Date };
  /** Transfers that the reader did not see. */
  readonly transfers: readonly ScannedTransfer[];
  readonly dust: readonly ScannedDust[];
  /** The unexplained part of the block's balance change, in wei; 0 when it is explained. */
  readonly difference: bigint;
}

/**
 * A block in which a wallet's balance is unexplained. `amount`: the excess over the expected balance in wei; can be
 * negative.
 */
export interface BalanceDifference {
  readonly chainId: number;
  readonly wallet: Address;
  readonly blockNumber: bigint;
  readonly amount: bigint;
  readonly foundAt: Date;
}

/** How many blocks back rows of a wallet are kept, like block hashes; a deeper reorg needs an operator. */
const KEPT_BLOCKS = 4_096n;

/** How far the balances of relayer wallets are accounted for, and unexplained differences. */
export class AuditRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /** The block up to which a wallet is accounted for; null before the first one. */
  async last({ chainId, address: wallet }: Wallet): Promise<WalletState | null> {
    const rows = await query<{ block_number: string; balance: string; nonce: string }>(this.pool, {
      name: 'audits-last',
      text: `SELECT block_number, balance, nonce FROM wallet_audit WHERE chain_id = $1 AND wallet = $2
        ORDER BY block_number DESC LIMIT 1`,
      values: [chainId, wallet],
    });
    const [row] = rows;
    if (row === undefined) return null;
    return { blockNumber: BigInt(row.block_number), balance: BigInt(row.balance), nonce: BigInt(row.nonce) };
  }

  /**
   * The native coin, including dust, that a wallet received in the blocks after `from` and up to `to`, in wei.
   *
   * @returns null when a reorg removed some of these blocks and their transfers are not reread yet.
   */
  async received(
    { chainId, address: wallet }: Wallet,
    native: 'ETH' | 'XCN',
    from: bigint,
    to: bigint,
  ): Promise<bigint | null> {
    const rows = await query<{ is_read: boolean; received: string }>(this.pool, {
      name: 'audits-received',
      text: `SELECT EXISTS (SELECT 1 FROM chain_cursor WHERE chain_id = $1 AND next_block > $5) AS is_read,
          (SELECT coalesce(sum(amount), 0) FROM inbound_transfer
            WHERE chain_id = $1 AND wallet = $2 AND asset = $3 AND block_number > $4 AND block_number <= $5)
          + (SELECT coalesce(sum(amount), 0) FROM dust
            WHERE chain_id = $1 AND wallet = $2 AND asset = $3 AND block_number > $4 AND block_number <= $5) AS received`,
      values: [chainId, wallet, native, from, to],
    });
    const [row] = rows;
    return row?.is_read === true ? BigInt(row.received) : null;
  }

  /**
   * Advances a wallet's account to a later block, and stores the findings.
   *
   * @returns false when a reorg removed the block or the previous accounted one, or the chain is halted; nothing is
   *   stored then.
   */
  async advance(
    fence: Fence,
    { chainId, address: wallet }: Wallet,
    { state, since, block, transfers, dust, difference }: AccountedBlock,
  ): Promise<boolean> {
    const { blockNumber, nonce } = state;
    const { hash, timestamp } = block;
    return fencedTransaction(this.prisma, fence, async (tx) => {
      await lockChainShared(tx, chainId);
      const isRead = { chainId, haltedAt: null, nextBlock: { gt: blockNumber } };
      if ((await tx.chainCursor.count({ where: isRead })) === 0) return false;
      const known = await tx.chainBlock.findUnique({ where: { chainId_number: { chainId, number: blockNumber } } });
      if (known !== null && known.hash !== hash) return false;
      const stands =
        since === null || (await tx.walletAudit.count({ where: { chainId, wallet, blockNumber: since } })) > 0;
      if (!stands) return false;
      if (transfers.length + dust.length > 0) {
        // Far behind the head, only blocks with plain transfers or events were stored.
        if (known === null) await tx.chainBlock.create({ data: { chainId, number: blockNumber, hash, timestamp } });
        await storeArrivals(tx, chainId, [{ number: blockNumber, hash, timestamp, transfers, dust }]);
      }
      if (difference !== 0n)
        await tx.balanceDifference.createMany({
          data: { chainId, wallet, blockNumber, amount: difference.toString() },
          skipDuplicates: true,
        });
      const key = { chainId, wallet, blockNumber };
      const data = { nonce, balance: state.balance.toString() };
      await tx.walletAudit.upsert({
        where: { chainId_wallet_blockNumber: key },
        create: { ...key, ...data },
        update: data,
      });
      const old = blockNumber - KEPT_BLOCKS;
      await tx.walletAudit.deleteMany({ where: { chainId, wallet, blockNumber: { lt: old } } });
      await foldDust(tx, chainId, wallet, old);
      return true;
    });
  }

  /** The differences that no operator has explained, oldest first. */
  async unexplained(): Promise<BalanceDifference[]> {
    const rows = await this.prisma.balanceDifference.findMany({
      where: { explanation: null },
      orderBy: [{ chainId: 'asc' }, { blockNumber: 'asc' }],
    });
    return rows.map(toDifference);
  }

  /** Stores an operator's explanation of a block. False when the block has no unexplained difference. */
  async explain(chainId: number, blockNumber: bigint, explanation: string): Promise<boolean> {
    return explainDifference(this.prisma, chainId, blockNumber, explanation);
  }
}

/** `AuditRepository.explain` in the caller's transaction. */
export async function explainDifference(
  db: Prisma.TransactionClient,
  chainId: number,
  blockNumber: bigint,
  explanation: string,
): Promise<boolean> {
  const { count } = await db.balanceDifference.updateMany({
    where: { chainId, blockNumber, explanation: null },
    data: { explanation },
  });
  return count > 0;
}

function toDifference(row: Prisma.BalanceDifferenceGetPayload<object>): BalanceDifference {
  return {
    chainId: row.chainId,
    wallet: row.wallet as Address,
    blockNumber: row.blockNumber,
    amount: BigInt(row.amount.toFixed(0)),
    foundAt: row.foundAt,
  };
}
