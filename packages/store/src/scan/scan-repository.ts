import type { Pool } from 'pg';
import type { Hex } from 'viem';
import type { PrismaClient } from '../generated/prisma/client.js';
import { lockChainExclusive } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import type { BlockRecord } from '../operations/operation.js';
import { FinalityBrokenError, findBroken, rollBackTo } from './reorg.js';
import type { ScannedBlock } from './scanned-block.js';
import { storeBlocks } from './store-blocks.js';
import { execute, query } from '../sql/query.js';

/**
 * How many blocks back the store keeps block hashes; a deeper reorg needs an operator. Blocks with an event are kept
 * permanently, because settling a delivery needs the time of its block, however late.
 */
const KEPT_BLOCKS = 4_096n;

/** How far a chain has been read. */
interface ScanCursor {
  readonly nextBlock: bigint;
  readonly headBlock: bigint;
}

/** How far reading lags behind the chain. */
export interface ScanProgress extends ScanCursor {
  /** Unread blocks up to the agreed head; 0 at the head. */
  readonly blocksBehind: number;
  /** Milliseconds since blocks were last stored or the head was last confirmed, by the database's clock. */
  readonly ageMs: number;
  /** Milliseconds by which the newest block's time is ahead of the database's clock; at least 0. */
  readonly aheadMs: number;
}

/** Another writer moved the cursor, or the chain was halted. The caller discards the blocks and rereads them. */
export class StaleCursorError extends Error {
  override readonly name = 'StaleCursorError';
}

/** The blocks, events and transfers read from the chains. A cursor and the data up to it are written atomically. */
export class ScanRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /** Null until `begin`. */
  async cursor(chainId: number): Promise<ScanCursor | null> {
    const rows = await query<{ next_block: string; head_block: string }>(this.pool, {
      name: 'scan-cursor',
      text: 'SELECT next_block, head_block FROM chain_cursor WHERE chain_id = $1',
      values: [chainId],
    });
    const [row] = rows;
    return row === undefined ? null : { nextBlock: BigInt(row.next_block), headBlock: BigInt(row.head_block) };
  }

  /** Sets the cursor of a chain that was never read to the deployment's block; keeps an existing cursor. */
  async begin(fence: Fence, chainId: number, deployedAtBlock: bigint): Promise<void> {
    await fencedTransaction(this.prisma, fence, (tx) =>
      tx.chainCursor.createMany({
        data: { chainId, nextBlock: deployedAtBlock, headBlock: deployedAtBlock },
        skipDuplicates: true,
      }),
    );
  }

  /** Reads a block; null if it was never read or has been pruned. */
  async block(chainId: number, number: bigint): Promise<BlockRecord | null> {
    return this.findBlock('scan-block', 'number = $2', [chainId, number]);
  }

  /** The newest stored block. Its time is the chain time of every decision. */
  async latestBlock(chainId: number): Promise<BlockRecord | null> {
    return this.findBlock('scan-latest-block', 'true', [chainId]);
  }

  /** The newest stored block below this height. Far behind the head, not every block is stored. */
  async blockBelow(chainId: number, number: bigint): Promise<BlockRecord | null> {
    return this.findBlock('scan-block-below', 'number < $2', [chainId, number]);
  }

  /** The newest stored block up to this height with a timestamp up to `time`. */
  async blockUntil(chainId: number, number: bigint, time: Date): Promise<BlockRecord | null> {
    return this.findBlock('scan-block-until', 'number <= $2 AND timestamp <= $3', [chainId, number, time]);
  }

  /** How far reading lags behind, for health and metrics; null when the chain was never read. */
  async progress(chainId: number): Promise<ScanProgress | null> {
    const rows = await query<{ next_block: string; head_block: string; age_ms: number; ahead_ms: number }>(this.pool, {
      name: 'scan-progress',
      text: `SELECT next_block, head_block, (extract(epoch FROM now() - read_at) * 1000)::float8 AS age_ms,
          coalesce((SELECT extract(epoch FROM b.timestamp - now()) * 1000 FROM chain_block b
            WHERE b.chain_id = $1 ORDER BY b.number DESC LIMIT 1), 0)::float8 AS ahead_ms
        FROM chain_cursor WHERE chain_id = $1`,
      values: [chainId],
    });
    const [row] = rows;
    if (row === undefined) return null;
    const [nextBlock, headBlock] = [BigInt(row.next_block), BigInt(row.head_block)];
    const behind = Number(headBlock - nextBlock + 1n);
    const since = (ms: number) => Math.max(0, Math.round(ms));
    const blocksBehind = Math.max(0, behind);
    return { nextBlock, headBlock, blocksBehind, ageMs: since(row.age_ms), aheadMs: since(row.ahead_ms) };
  }

  /** The number of the origin contract's next operation, after those with stored events. The contract counts from 0. */
  async nextOriginNumber(chainId: number): Promise<bigint> {
    const [last] = await query<{ number: string }>(this.prisma)`
      SELECT args->>'nonce' AS number FROM chain_event
      WHERE chain_id = ${chainId} AND name IN ('Deposit', 'Withdraw')
      ORDER BY block_number DESC, log_index DESC LIMIT 1`;
    return last === undefined ? 0n : BigInt(last.number) + 1n;
  }

  /**
   * Stores blocks with their events and transfers, and opens the operations of the events. Runs in one transaction, so
   * the caller must bound the number of events. Blocks without events or transfers can be left out, except the last
   * one.
   *
   * @param from the first block read; the cursor must be there. Default: the first given block.
   * @throws StaleCursorError when the cursor is elsewhere, or the chain is halted.
   */
  async extend(
    fence: Fence,
    chainId: number,
    blocks: readonly ScannedBlock[],
    headBlock: bigint,
    from: bigint | undefined = blocks[0]?.number,
  ): Promise<void> {
    const last = blocks.at(-1);
    if (last === undefined || from === undefined) return;
    const nextBlock = last.number + 1n;
    await fencedTransaction(this.prisma, fence, async (tx) => {
      const moved = await execute(tx)`
        UPDATE chain_cursor
        SET next_block = ${nextBlock}, head_block = ${headBlock}, read_at = now(), updated_at = now()
        WHERE chain_id = ${chainId} AND next_block = ${from} AND halted_at IS NULL`;
      if (moved !== 1)
        throw new StaleCursorError(`The cursor of chain ${chainId} is not at block ${from}, or is halted`);
      await storeBlocks(tx, chainId, blocks);
      // Only the blocks that left the range in this step; earlier steps handled older ones.
      await execute(tx)`
        DELETE FROM chain_block b
        WHERE chain_id = ${chainId} AND number >= ${from - KEPT_BLOCKS} AND number < ${nextBlock - KEPT_BLOCKS}
          AND NOT EXISTS (SELECT 1 FROM chain_event e WHERE e.chain_id = b.chain_id AND e.block_number = b.number)`;
    });
  }

  /**
   * Records that everything up to the head was read. Writes nothing when the cursor has moved or the chain is halted.
   */
  async confirmHead(fence: Fence, chainId: number, cursor: ScanCursor): Promise<void> {
    const { nextBlock, headBlock } = cursor;
    await fencedTransaction(
      this.prisma,
      fence,
      (tx) =>
        execute(tx)`
        UPDATE chain_cursor SET head_block = ${headBlock}, read_at = now(), updated_at = now()
        WHERE chain_id = ${chainId} AND next_block = ${nextBlock} AND halted_at IS NULL`,
    );
  }

  /**
   * Rolls back everything after `ancestor`: deletes the deposits and withdrawals that began there, makes intents that
   * lost their transfer pending again, and moves the cursor back.
   *
   * @throws FinalityBrokenError when a final origin, delivery or refund is after `ancestor`; nothing is changed then.
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

  /** The newest block that matches a condition. Every stage reads blocks, so these are prepared statements. */
  private async findBlock(name: string, condition: string, values: readonly unknown[]): Promise<BlockRecord | null> {
    const rows = await query<{ number: string; hash: Hex; timestamp: Date }>(this.pool, {
      name,
      text: `SELECT number, hash, timestamp FROM chain_block WHERE chain_id = $1 AND ${condition}
        ORDER BY number DESC LIMIT 1`,
      values: [...values],
    });
    const [row] = rows;
    return row === undefined ? null : { number: BigInt(row.number), hash: row.hash, timestamp: row.timestamp };
  }
}
