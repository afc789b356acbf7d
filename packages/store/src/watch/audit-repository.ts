import type { Address } from 'viem';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import type { Wallet } from '../transactions/wallet-call.js';

/** The state of a wallet at the end of a block. Balance in wei. */
export interface WalletState {
  readonly blockNumber: bigint;
  readonly balance: bigint;
  readonly nonce: bigint;
}

/** A block in which a wallet's balance is not explained. `amount`: above what was expected, in wei; may be negative. */
export interface BalanceDifference {
  readonly chainId: number;
  readonly wallet: Address;
  readonly blockNumber: bigint;
  readonly amount: bigint;
  readonly foundAt: Date;
}

/** How far the balances of relayer wallets are accounted for, and the differences. */
export class AuditRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /** The block up to which a wallet is accounted for; null before the first one. */
  async last({ chainId, address: wallet }: Wallet): Promise<WalletState | null> {
    const row = await this.prisma.walletAudit.findUnique({ where: { chainId_wallet: { chainId, wallet } } });
    return row === null
      ? null
      : { blockNumber: row.blockNumber, balance: BigInt(row.balance.toFixed(0)), nonce: row.nonce };
  }

  /** The sum of the transfers to a wallet in the blocks after `from` and up to `to`, in wei. */
  async received({ chainId, address: wallet }: Wallet, from: bigint, to: bigint): Promise<bigint> {
    const { _sum } = await this.prisma.inboundTransfer.aggregate({
      where: { chainId, wallet, asset: 'XCN', blockNumber: { gt: from, lte: to } },
      _sum: { amount: true },
    });
    return BigInt(_sum.amount?.toFixed(0) ?? 0);
  }

  /**
   * Moves the account of a wallet to a later block.
   *
   * @param difference of that block; 0 when its balance is explained.
   */
  async advance(
    fence: Fence,
    { chainId, address: wallet }: Wallet,
    to: WalletState,
    difference: bigint,
  ): Promise<void> {
    const { blockNumber, nonce } = to;
    const state = { blockNumber, nonce, balance: to.balance.toString() };
    await fencedTransaction(this.prisma, fence, async (tx) => {
      if (difference !== 0n)
        await tx.balanceDifference.createMany({
          data: { chainId, wallet, blockNumber, amount: difference.toString() },
          skipDuplicates: true,
        });
      await tx.walletAudit.upsert({
        where: { chainId_wallet: { chainId, wallet } },
        create: { chainId, wallet, ...state },
        update: state,
      });
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

  /** Stores an operator's explanation of a block. False when no difference of that block waits for one. */
  async explain(chainId: number, blockNumber: bigint, explanation: string): Promise<boolean> {
    const { count } = await this.prisma.balanceDifference.updateMany({
      where: { chainId, blockNumber, explanation: null },
      data: { explanation },
    });
    return count > 0;
  }
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
