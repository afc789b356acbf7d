import type { Pool } from 'pg';
import type { Hex } from 'viem';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { lockAllChainsExclusive, lockChainExclusive } from '../locks/chain-locks.js';
import { wake } from '../locks/wake-ups.js';
import { findBroken, rollBackTo } from './reorg.js';
import { query } from '../sql/query.js';

/** A halted chain: its operations do not advance until an operator resumes it. */
export interface Halt {
  readonly chainId: number;
  readonly since: Date;
  /** A sentence for operators. */
  readonly reason: string;
}

/**
 * Halted deliveries: no transaction is sent until an operator resumes them. Reading continues, so that the evidence
 * becomes complete.
 */
export interface DeliveriesHalt {
  readonly since: Date;
  /** A sentence for operators. */
  readonly reason: string;
}

/** The position of an event. */
export interface SeenEvent {
  readonly chainId: number;
  readonly txHash: Hex;
  readonly logIndex: number;
}

/** The halt that an operator read is not in force: it was lifted or replaced. */
export class HaltChangedError extends Error {
  override readonly name = 'HaltChangedError';
  constructor(what: string) {
    super(`The halt of ${what} has changed since you read it: list the halts again`);
  }
}

/**
 * The halts of chains and of deliveries. Any process can halt, without the lease. Lifting names the halt that the
 * operator read; a different halt stays.
 */
export class HaltRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /** The halted chains. Every stage runs this query, so it is a prepared statement. */
  async list(): Promise<Halt[]> {
    const rows = await query<{ chain_id: number; halted_at: Date; halted_reason: string | null }>(this.pool, {
      name: 'halts',
      text: `SELECT chain_id, halted_at, halted_reason FROM chain_cursor WHERE halted_at IS NOT NULL ORDER BY chain_id`,
    });
    return rows.map((row) => ({ chainId: row.chain_id, since: row.halted_at, reason: row.halted_reason ?? '' }));
  }

  /**
   * Halts a chain. Waits for running writes to its operations; no write follows.
   *
   * @returns false when the chain was already halted (the first reason stays), or was never read.
   */
  async halt(chainId: number, reason: string): Promise<boolean> {
    return this.prisma.$transaction(async (tx) => haltChain(tx, chainId, reason));
  }

  /**
   * Lifts a halt: reading continues at the cursor.
   *
   * @throws HaltChangedError
   */
  async lift(halt: Halt): Promise<void> {
    await this.prisma.$transaction(async (tx) => liftHalt(tx, halt, null));
  }

  /** The operations with a final origin or delivery in a block after `ancestor`. */
  async brokenAfter(chainId: number, ancestor: bigint): Promise<Hex[]> {
    return (await findBroken(this.prisma, chainId, ancestor)) as Hex[];
  }

  /**
   * Lifts a halt and accepts that the chain lost everything after `ancestor`, including final blocks. Operations that
   * were final keep their records. Each is paid only once its origin is on the chain again.
   *
   * @throws HaltChangedError
   */
  async liftAndRollBack(halt: Halt, ancestor: bigint): Promise<void> {
    await this.prisma.$transaction(async (tx) => liftHalt(tx, halt, ancestor));
  }

  /** The halt of deliveries; null while they run. */
  async deliveries(): Promise<DeliveriesHalt | null> {
    const rows = await query<{ since: Date; reason: string | null }>(this.pool, {
      name: 'halt-of-deliveries',
      text: `SELECT deliveries_halted_at AS since, deliveries_halted_reason AS reason FROM chain_cursor
        WHERE deliveries_halted_at IS NOT NULL LIMIT 1`,
    });
    const [row] = rows;
    return row === undefined ? null : { since: row.since, reason: row.reason ?? '' };
  }

  /**
   * Halts the deliveries on all chains. Waits for transactions that are being signed; none follows.
   *
   * @returns false when they were already halted (the first reason stays), or no chain was ever read.
   */
  async haltDeliveries(reason: string): Promise<boolean> {
    return this.prisma.$transaction(async (tx) => haltDeliveries(tx, reason));
  }

  /**
   * Lifts the halt of deliveries, and accepts the unknown deliveries that the operator reviewed. Others stay unknown,
   * and the watch halts again because of them.
   *
   * @throws HaltChangedError
   */
  async liftDeliveries(halt: DeliveriesHalt, looked: readonly SeenEvent[]): Promise<void> {
    await this.prisma.$transaction(async (tx) => liftDeliveries(tx, halt, looked));
  }
}

/** `HaltRepository.halt` in the caller's transaction. */
export async function haltChain(tx: Prisma.TransactionClient, chainId: number, reason: string): Promise<boolean> {
  await lockChainExclusive(tx, chainId);
  const { count } = await tx.chainCursor.updateMany({
    where: { chainId, haltedAt: null },
    data: { haltedAt: new Date(), haltedReason: reason },
  });
  await wake(tx, 'operator');
  return count === 1;
}

/** `HaltRepository.haltDeliveries` in the caller's transaction. */
export async function haltDeliveries(tx: Prisma.TransactionClient, reason: string): Promise<boolean> {
  await lockAllChainsExclusive(tx);
  const { count } = await tx.chainCursor.updateMany({
    where: { deliveriesHaltedAt: null },
    data: { deliveriesHaltedAt: new Date(), deliveriesHaltedReason: reason },
  });
  return count > 0;
}

/**
 * `HaltRepository.liftAndRollBack` in the caller's transaction.
 *
 * @param ancestor null when the chain lost no final block.
 * @throws HaltChangedError
 */
export async function liftHalt(
  tx: Prisma.TransactionClient,
  { chainId, since }: Halt,
  ancestor: bigint | null,
): Promise<void> {
  await lockChainExclusive(tx, chainId);
  const { count } = await tx.chainCursor.updateMany({
    where: { chainId, haltedAt: since },
    data: { haltedAt: null, haltedReason: null },
  });
  if (count === 0) throw new HaltChangedError(`chain ${chainId}`);
  await wake(tx, 'operator');
  if (ancestor !== null) await rollBackTo(tx, chainId, ancestor);
}

/**
 * `HaltRepository.liftDeliveries` in the caller's transaction.
 *
 * @throws HaltChangedError
 */
export async function liftDeliveries(
  tx: Prisma.TransactionClient,
  halt: DeliveriesHalt,
  looked: readonly SeenEvent[],
): Promise<void> {
  await lockAllChainsExclusive(tx);
  const { count } = await tx.chainCursor.updateMany({
    where: { deliveriesHaltedAt: halt.since },
    data: { deliveriesHaltedAt: null, deliveriesHaltedReason: null },
  });
  if (count === 0) throw new HaltChangedError('the deliveries');
  await wake(tx, 'operator');
  for (const { chainId, txHash, logIndex } of looked)
    await tx.chainEvent.updateMany({
      where: { chainId, txHash, logIndex, verdict: 'UNKNOWN' },
      data: { verdict: 'ACCEPTED' },
    });
}
