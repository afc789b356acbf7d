import type { Hex } from 'viem';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { lockChainExclusive } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { lockParties } from '../locks/row-locks.js';
import { openOperation } from '../operations/open-operation.js';
import type { BlockRecord } from '../operations/operation.js';
import { FinalityBrokenError, findBroken, restoreOrigin, restoreTransfer, rollBackTo } from './reorg.js';
import type { ScannedBlock } from './scanned-block.js';

/**
 * The store keeps block hashes this far back; a deeper reorg needs an operator. Blocks with an event stay permanently,
 * since settling a delivery needs the time of its block, however late.
 */
const KEPT_BLOCKS = 4_096n;

/** How far a chain has been read. */
interface ScanCursor {
  readonly nextBlock: bigint;
  readonly headBlock: bigint;
}

/** Another writer moved the cursor, or the chain was halted. The caller discards the blocks and reads them again. */
export class StaleCursorError extends Error {
  override readonly name = 'StaleCursorError';
}

/** The blocks, events and transfers read from the chains. A cursor and everything up to it are written in one step. */
export class ScanRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /** Null until `begin`. */
  async cursor(chainId: number): Promise<ScanCursor | null> {
    return this.prisma.chainCursor.findUnique({ where: { chainId }, select: { nextBlock: true, headBlock: true } });
  }

  /** Sets the cursor of a chain that was never read to the block of the deployment; otherwise leaves it. */
  async begin(fence: Fence, chainId: number, deployedAtBlock: bigint): Promise<void> {
    await fencedTransaction(this.prisma, fence, (tx) =>
      tx.chainCursor.createMany({
        data: { chainId, nextBlock: deployedAtBlock, headBlock: deployedAtBlock },
        skipDuplicates: true,
      }),
    );
  }

  /** Hash and chain time of a block; null when it was never read, or too long ago to be kept. */
  async block(chainId: number, number: bigint): Promise<{ hash: Hex; timestamp: Date } | null> {
    const row = await this.prisma.chainBlock.findUnique({ where: { chainId_number: { chainId, number } } });
    return row === null ? null : { hash: row.hash as Hex, timestamp: row.timestamp };
  }

  /** The oldest stored block of this height or above: the block itself, unless it is not kept any more. */
  async blockFrom(chainId: number, number: bigint): Promise<BlockRecord | null> {
    const where = { chainId, number: { gte: number } };
    const row = await this.prisma.chainBlock.findFirst({ where, orderBy: { number: 'asc' } });
    return row === null ? null : { number: row.number, hash: row.hash as Hex, timestamp: row.timestamp };
  }

  /** The newest block that was read. Its time is the chain time of every decision. */
  async latestBlock(chainId: number): Promise<BlockRecord | null> {
    const row = await this.prisma.chainBlock.findFirst({ where: { chainId }, orderBy: { number: 'desc' } });
    return row === null ? null : { number: row.number, hash: row.hash as Hex, timestamp: row.timestamp };
  }

  /**
   * Stores blocks that follow the cursor, with their events, and begins the operations that the events open.
   *
   * @throws StaleCursorError when the cursor is not at the first block any more, or the chain is halted.
   */
  async extend(fence: Fence, chainId: number, blocks: readonly ScannedBlock[], headBlock: bigint): Promise<void> {
    const [first] = blocks;
    if (first === undefined) return;
    const nextBlock = first.number + BigInt(blocks.length);
    await fencedTransaction(this.prisma, fence, async (tx) => {
      const moved = await tx.chainCursor.updateMany({
        where: { chainId, nextBlock: first.number, haltedAt: null },
        data: { nextBlock, headBlock },
      });
      if (moved.count !== 1)
        throw new StaleCursorError(`The cursor of chain ${chainId} is not at block ${first.number}, or is halted`);
      const opened = blocks.flatMap(({ events }) => events.flatMap(({ opens }) => opens ?? []));
      await lockParties(
        tx,
        opened.flatMap(({ sender, recipient }) => [sender, recipient]),
      );
      await tx.chainBlock.createMany({
        data: blocks.map(({ number, hash, timestamp }) => ({ chainId, number, hash, timestamp })),
      });
      for (const block of blocks) await storeBlock(tx, chainId, block);
      // Only the blocks that left the range in this step; older ones were handled before.
      await tx.$executeRaw`
        DELETE FROM chain_block b
        WHERE chain_id = ${chainId} AND number >= ${first.number - KEPT_BLOCKS} AND number < ${nextBlock - KEPT_BLOCKS}
          AND NOT EXISTS (SELECT 1 FROM chain_event e WHERE e.chain_id = b.chain_id AND e.block_number = b.number)`;
    });
  }

  /**
   * Rolls everything after `ancestor` back: withdraws the operations that began there and were not final, lets intents
   * wait for a transfer again, and moves the cursor back.
   *
   * @throws FinalityBrokenError when a final origin or delivery is among them; nothing is changed then.
   * @throws StaleCursorError when the chain is halted.
   */
  async rollBack(fence: Fence, chainId: number, ancestor: bigint): Promise<void> {
    await fencedTransaction(this.prisma, fence, async (tx) => {
      await lockChainExclusive(tx, chainId);
      if ((await tx.chainCursor.count({ where: { chainId, haltedAt: null } })) === 0)
        throw new StaleCursorError(`Chain ${chainId} is halted`);
      const broken = await findBroken(tx, chainId, ancestor);
      if (broken.length > 0) throw new FinalityBrokenError(chainId, broken);
      await rollBackTo(tx, chainId, ancestor);
    });
  }
}

async function storeBlock(tx: Prisma.TransactionClient, chainId: number, block: ScannedBlock): Promise<void> {
  const where = { blockNumber: block.number, blockHash: block.hash };
  for (const { opens, args, ...event } of block.events) {
    if (opens !== undefined) {
      const origin = { txHash: event.txHash, logIndex: event.logIndex, ...where };
      if (!(await restoreOrigin(tx, opens, origin))) await openOperation(tx, opens, origin);
    }
    await tx.chainEvent.create({ data: { chainId, ...where, ...event, args } });
  }
  for (const transfer of block.transfers) {
    const operationId = await restoreTransfer(tx, chainId, transfer, where);
    const amount = transfer.amount.toString();
    await tx.inboundTransfer.create({
      data: { chainId, ...where, ...transfer, amount, minedAt: block.timestamp, operationId },
    });
  }
}
