import type { Address, Hex } from 'viem';
import type { PrismaClient } from '../generated/prisma/client.js';
import { WITH_CALL, toWalletCall, type WalletCall } from './wallet-call.js';
import { query } from '../sql/query.js';

/** A wallet call with its outcome, for the console. */
export interface CallRecord extends WalletCall {
  /** When it was cancelled; null when it was not. */
  readonly cancelledAt: Date | null;
  /** When the use of its nonce became final; null before. */
  readonly endedAt: Date | null;
  /** The final transaction of its nonce; null before, and when that transaction is not in the journal. */
  readonly txHash: Hex | null;
  /** The gas fee in wei; null before its end. */
  readonly feePaid: bigint | null;
}

/** The journal's records about an operation, and about a wallet. */
export class CallHistory {
  constructor(private readonly prisma: PrismaClient) {}

  /** Every call for an operation or its refund, oldest first. */
  async ofOperation(operationId: Hex, refundId: Hex | null): Promise<CallRecord[]> {
    const links = await this.prisma.callOperation.findMany({ where: { operationId }, select: { callId: true } });
    const ofRefund =
      refundId === null ? [] : await this.prisma.walletCall.findMany({ where: { refundId }, select: { id: true } });
    const ids = [...links.map(({ callId }) => callId), ...ofRefund.map(({ id }) => id)];
    if (ids.length === 0) return [];
    const rows = await this.prisma.walletCall.findMany({
      where: { id: { in: ids } },
      orderBy: { id: 'asc' },
      include: WITH_CALL,
    });
    return rows.map((row) => ({
      ...toWalletCall(row),
      cancelledAt: row.cancelledAt,
      endedAt: row.endedAt,
      txHash: row.txHash as Hex | null,
      feePaid: row.feePaid === null ? null : BigInt(row.feePaid.toFixed(0)),
    }));
  }

  /** The wallets that ever signed on a chain, by a loose index scan. */
  async wallets(chainId: number): Promise<Address[]> {
    const rows = await query<{ sender: Address }>(this.prisma)`
      WITH RECURSIVE wallets AS (
        (SELECT sender FROM wallet_call WHERE chain_id = ${chainId} ORDER BY sender LIMIT 1)
        UNION ALL
        SELECT (SELECT sender FROM wallet_call WHERE chain_id = ${chainId} AND sender > w.sender ORDER BY sender LIMIT 1)
        FROM wallets w WHERE w.sender IS NOT NULL)
      SELECT sender FROM wallets WHERE sender IS NOT NULL`;
    return rows.map(({ sender }) => sender);
  }

  /** How many calls of a wallet have not ended. */
  async countPending(chainId: number, address: Address): Promise<number> {
    return this.prisma.walletCall.count({ where: { chainId, sender: address, endedAt: null } });
  }
}
