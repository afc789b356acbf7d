import type { Address, Hex } from 'viem';
import { Prisma, type PrismaClient } from '../generated/prisma/client.js';
import type { UnsweptTransfer, Wallet } from './wallet-call.js';
import { execute, query, sql } from '../sql/query.js';

/** Most transfers of one sweep; others wait for the next. */
const MAX_PER_SWEEP = 100;

interface UnsweptRow {
  readonly operation_id: Hex;
  readonly wallet: Address;
  readonly tx_hash: Hex;
  readonly call_index: number;
  readonly block_number: string;
  readonly amount: string;
}

/**
 * The transfer `t` is bound to an intent, and a wallet still holds it. One expression, so that the planner has
 * statistics for it.
 */
const IS_UNSWEPT = sql`(t.sweep_id IS NULL AND t.operation_id IS NOT NULL AND NOT t.has_failed) IS TRUE`;
/** The intent of each transfer, looked up by its key. */
const OPERATION_OF_TRANSFER = sql`
  LATERAL (SELECT finalized_at, status FROM operation WHERE id = t.operation_id LIMIT 1) o`;
/** The intent `o` of a transfer is final and not failed, so its sender is not owed the money. */
const IS_FINAL = sql`o.finalized_at IS NOT NULL AND o.status <> 'FAILED'`;

/**
 * Sweeps, which move the native XCN of final intents into BridgeMint's float. An intent's release waits for its sweep.
 */
export class SweepRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /**
   * The transfers to sweep; none while a sweep is pending. Transfers to this wallet come first, because the coin of
   * other wallets may be lost; then transfers to wallets that it pays for; then the oldest.
   *
   * @param limit null for all: a rebuild compares them with the sweeps of the chain.
   * @param until the newest block of the transfers; null for all.
   */
  async findUnswept(
    { chainId, address }: Wallet,
    paidFor: readonly Address[],
    limit: number | null = MAX_PER_SWEEP,
    until: bigint | null = null,
  ): Promise<UnsweptTransfer[]> {
    const pending = await this.prisma.sweep.count({ where: { chainId, state: 'PENDING' } });
    if (pending > 0) return [];
    const rows = await query<UnsweptRow>(this.prisma)`
      SELECT t.operation_id, t.wallet, t.tx_hash, t.call_index, t.block_number, t.amount
      FROM inbound_transfer t, ${OPERATION_OF_TRANSFER}
      WHERE t.chain_id = ${chainId} AND ${IS_UNSWEPT} AND ${IS_FINAL}
        AND (${until}::bigint IS NULL OR t.block_number <= ${until}::bigint)
      ORDER BY t.wallet <> ${address}, t.wallet <> ALL (${[...paidFor]}::text[]), t.block_number, t.operation_id LIMIT ${limit}`;
    return rows.map((row) => ({
      operationId: row.operation_id,
      wallet: row.wallet,
      txHash: row.tx_hash,
      callIndex: row.call_index,
      blockNumber: BigInt(row.block_number),
      amount: BigInt(row.amount),
    }));
  }

  /**
   * The native XCN that a wallet must keep, in 18-decimal units: transfers that pay no intent, unswept transfers, and
   * unpaid refunds. `inFloat`: owed for refunds whose XCN is already in the float; the wallet pays them from other XCN.
   */
  async keptBack({ chainId, address }: Wallet): Promise<{ readonly all: bigint; readonly inFloat: bigint }> {
    const [kept] = await query<{ all: string; in_float: string }>(this.prisma)`
      SELECT coalesce(sum(amount), 0) AS all, coalesce(sum(amount) FILTER (WHERE is_in_float), 0) AS in_float FROM (
        SELECT t.amount, false AS is_in_float FROM inbound_transfer t
        WHERE t.chain_id = ${chainId} AND t.wallet = ${address} AND t.operation_id IS NULL AND t.asset = 'XCN'
        UNION ALL
        SELECT t.amount, false FROM inbound_transfer t
        WHERE t.chain_id = ${chainId} AND t.wallet = ${address} AND ${IS_UNSWEPT}
        UNION ALL
        SELECT r.amount, EXISTS (SELECT 1 FROM inbound_transfer t WHERE t.operation_id = r.operation_id AND t.sweep_id IS NOT NULL)
        FROM refund r
        WHERE r.chain_id = ${chainId} AND r.wallet = ${address} AND r.asset = 'XCN'
          AND r.status IN ('REQUESTED', 'APPROVED', 'PENDING')) AS kept`;
    return { all: BigInt(kept?.all ?? 0), inFloat: BigInt(kept?.in_float ?? 0) };
  }

  /** Whether an intent's transfer is in a sweep, pending or confirmed. */
  async isInFloat(operationId: Hex): Promise<boolean> {
    return (await this.prisma.inboundTransfer.count({ where: { operationId, sweepId: { not: null } } })) > 0;
  }
}

/**
 * Adds transfers to a new sweep, in the transaction that journals its call.
 *
 * @returns its id; null if another sweep is pending or a transfer may no longer be swept. The caller's transaction must
 *   then fail.
 */
export async function joinSweep(
  tx: Prisma.TransactionClient,
  chainId: number,
  transfers: readonly UnsweptTransfer[],
): Promise<bigint | null> {
  const amount = transfers.reduce((sum, transfer) => sum + transfer.amount, 0n);
  // A concurrent insert blocks here until the other transaction ends, and conflicts if it commits.
  const [sweep] = await tx.sweep.createManyAndReturn({
    data: { chainId, amount: amount.toString() },
    skipDuplicates: true,
  });
  if (sweep === undefined) return null;
  const ids = transfers.map(({ operationId }) => operationId);
  const joined = await execute(tx)`
    UPDATE inbound_transfer t SET sweep_id = ${sweep.id} FROM operation o
    WHERE o.id = t.operation_id AND t.chain_id = ${chainId} AND ${IS_UNSWEPT} AND ${IS_FINAL} AND o.id = ANY (${ids})`;
  return joined === transfers.length ? sweep.id : null;
}

/**
 * Ends a sweep after its call. After a failure, its transfers wait for another sweep, even if it had succeeded on a
 * branch that a reorg removed.
 */
export async function endSweep(tx: Prisma.TransactionClient, id: bigint, hasSucceeded: boolean): Promise<void> {
  const { count } = await tx.sweep.updateMany({
    where: { id, state: hasSucceeded ? 'PENDING' : { not: 'FAILED' } },
    data: { state: hasSucceeded ? 'CONFIRMED' : 'FAILED', endedAt: new Date() },
  });
  if (count === 1 && !hasSucceeded)
    await tx.inboundTransfer.updateMany({ where: { sweepId: id }, data: { sweepId: null } });
}
