import type { Hex } from 'viem';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { lockChainExclusive } from '../scan/keep-chain.js';
import { findBroken } from '../scan/roll-back-operations.js';
import { rollBackTo } from '../scan/take-back.js';

/** A chain that stands still until an operator lets it go on. */
export interface Halt {
  readonly chainId: number;
  readonly since: Date;
  /** For operators, in words. */
  readonly reason: string;
}

/** The halt an operator looked at is not the one in force: it was lifted, or another one came. */
export class HaltChangedError extends Error {
  override readonly name = 'HaltChangedError';
  constructor(readonly chainId: number) {
    super(`The halt of chain ${chainId} is not the one you looked at any more. Look again`);
  }
}

/**
 * The halts of chains. Anybody may stop, so no lease is asked for; who lets a chain go on has looked at the halt, and only
 * that very halt is lifted.
 */
export class HaltRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /** The chains that are halted now. */
  async list(): Promise<Halt[]> {
    const rows = await this.prisma.chainCursor.findMany({
      where: { haltedAt: { not: null } },
      orderBy: { chainId: 'asc' },
    });
    return rows.flatMap(({ chainId, haltedAt, haltedReason }) =>
      haltedAt === null ? [] : [{ chainId, since: haltedAt, reason: haltedReason ?? '' }],
    );
  }

  /**
   * Halts a chain. When this returns, everything that was being written for operations of the chain is written, and
   * nothing more will be.
   *
   * @returns false when it was halted before, for the reason it has, or was never read.
   */
  async halt(chainId: number, reason: string): Promise<boolean> {
    return this.prisma.$transaction(async (tx) => {
      await lockChainExclusive(tx, chainId);
      const { count } = await tx.chainCursor.updateMany({
        where: { chainId, haltedAt: null },
        data: { haltedAt: new Date(), haltedReason: reason },
      });
      return count === 1;
    });
  }

  /**
   * Lets a chain go on from where it was read to.
   *
   * @throws HaltChangedError
   */
  async lift(halt: Halt): Promise<void> {
    await this.prisma.$transaction(async (tx) => {
      await lockChainExclusive(tx, halt.chainId);
      await clear(tx, halt);
    });
  }

  /** The operations of which blocks after `ancestor` hold something that was final. */
  async brokenAfter(chainId: number, ancestor: bigint): Promise<Hex[]> {
    return (await findBroken(this.prisma, chainId, ancestor)) as Hex[];
  }

  /**
   * Accepts that the chain lost everything after `ancestor`, also what was final, and lets it go on from there. The
   * operations that were final keep what is known of them; none is paid unless its origin is on the chain again.
   *
   * @throws HaltChangedError
   */
  async liftAndRollBack(halt: Halt, ancestor: bigint): Promise<void> {
    const { chainId } = halt;
    await this.prisma.$transaction(async (tx) => {
      await lockChainExclusive(tx, chainId);
      await clear(tx, halt);
      await rollBackTo(tx, chainId, ancestor);
    });
  }
}

async function clear(tx: Prisma.TransactionClient, { chainId, since }: Halt): Promise<void> {
  const { count } = await tx.chainCursor.updateMany({
    where: { chainId, haltedAt: since },
    data: { haltedAt: null, haltedReason: null },
  });
  if (count === 0) throw new HaltChangedError(chainId);
}
