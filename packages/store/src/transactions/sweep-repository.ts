import type { Hex } from 'viem';
import { Prisma, type PrismaClient } from '../generated/prisma/client.js';
import type { UnsweptTransfers, Wallet } from './wallet-call.js';
import { execute, query, sql } from '../sql/query.js';

/** The most transfers of one sweep; the others wait for the next one. */
const MAX_PER_SWEEP = 1_000;

/** The transfer `t` is bound to an intent, and the wallet holds it. */
const IS_UNSWEPT = sql`t.sweep_id IS NULL AND t.operation_id IS NOT NULL AND NOT t.has_failed`;
/** The intent of each transfer by its key: the planner expects many unswept ones, and would read all operations. */
const OPERATION_OF_TRANSFER = sql`
  LATERAL (SELECT finalized_at, status FROM operation WHERE id = t.operation_id LIMIT 1) o`;
/** The intent `o` of a transfer is final: no sender can ask for the money any more. */
const IS_FINAL = sql`o.finalized_at IS NOT NULL AND o.status <> 'FAILED'`;

/** Sweeps: they move native XCN of final intents from the wallet into the float of BridgeMint. */
export class SweepRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /** The transfers to a wallet that may be swept, oldest first; null when there are none, or a sweep is pending. */
  async findUnswept(wallet: Wallet): Promise<UnsweptTransfers | null> {
    const { chainId, address } = wallet;
    const pending = await this.prisma.sweep.count({ where: { chainId, state: 'PENDING' } });
    if (pending > 0) return null;
    const rows = await query<{ id: Hex; amount: string }>(this.prisma)`
      SELECT t.operation_id AS id, t.amount FROM inbound_transfer t, ${OPERATION_OF_TRANSFER}
      WHERE t.chain_id = ${chainId} AND t.wallet = ${address} AND ${IS_UNSWEPT} AND ${IS_FINAL}
      ORDER BY t.block_number, t.operation_id LIMIT ${MAX_PER_SWEEP}`;
    if (rows.length === 0) return null;
    return {
      wallet,
      operationIds: rows.map(({ id }) => id),
      amount: rows.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
      keptBack: await this.keptBack(wallet),
    };
  }

  /**
   * The native XCN that a wallet must keep: transfers that pay no intent, or one that is not final, and refunds that
   * are not paid. In 18-decimal units.
   */
  async keptBack({ chainId, address }: Wallet): Promise<bigint> {
    const [kept] = await query<{ amount: string }>(this.prisma)`
      SELECT coalesce(sum(amount), 0) AS amount FROM (
        SELECT t.amount FROM inbound_transfer t
        WHERE t.chain_id = ${chainId} AND t.wallet = ${address} AND t.operation_id IS NULL AND t.asset = 'XCN'
        UNION ALL
        SELECT t.amount FROM inbound_transfer t, ${OPERATION_OF_TRANSFER}
        WHERE t.chain_id = ${chainId} AND t.wallet = ${address} AND ${IS_UNSWEPT} AND o.finalized_at IS NULL
        UNION ALL
        SELECT r.amount FROM refund r
        WHERE r.chain_id = ${chainId} AND r.wallet = ${address} AND r.asset = 'XCN'
          AND r.status IN ('REQUESTED', 'APPROVED', 'PENDING')) AS kept`;
    return kept === undefined ? 0n : BigInt(kept.amount);
  }
}

/**
 * Puts transfers into a new sweep, in the transaction that journals its call.
 *
 * @param amount to sweep, at most the amount of the transfers. The wallet needs the rest of it.
 * @returns its id; null when another sweep is pending, or one of the transfers may not be swept any more. The caller's
 *   transaction must fail then.
 */
export async function joinSweep(
  tx: Prisma.TransactionClient,
  { chainId, address }: Wallet,
  { operationIds, amount: most }: UnsweptTransfers,
  amount: bigint,
): Promise<bigint | null> {
  if (amount > most) throw new Error(`The transfers brought ${most}: a sweep of ${amount} is more than that`);
  // Waits for a sweep that is being recorded, and then conflicts with it.
  const [sweep] = await tx.sweep.createManyAndReturn({
    data: { chainId, amount: amount.toString() },
    skipDuplicates: true,
  });
  if (sweep === undefined) return null;
  const joined = await execute(tx)`
    UPDATE inbound_transfer t SET sweep_id = ${sweep.id} FROM operation o
    WHERE o.id = t.operation_id AND t.chain_id = ${chainId} AND t.wallet = ${address} AND ${IS_UNSWEPT}
      AND ${IS_FINAL} AND o.id = ANY (${[...operationIds]})`;
  return joined === operationIds.length ? sweep.id : null;
}

/** The call of a sweep has ended. Unless it succeeded, its transfers wait for another sweep. */
export async function endSweep(tx: Prisma.TransactionClient, id: bigint, hasSucceeded: boolean): Promise<void> {
  const { count } = await tx.sweep.updateMany({
    where: { id, state: 'PENDING' },
    data: { state: hasSucceeded ? 'CONFIRMED' : 'FAILED', endedAt: new Date() },
  });
  if (count === 1 && !hasSucceeded)
    await tx.inboundTransfer.updateMany({ where: { sweepId: id }, data: { sweepId: null } });
}
