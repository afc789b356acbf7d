import { FinalityBrokenError, StaleCursorError, type BlockRecord } from '@causeway/store';
import type { MemoryDatabase } from './memory-database.ts';
import type { Simulated } from './steps.ts';
import { compare } from './memory-database.ts';
import { findBroken, rollBackTo, storeBlocks } from './chain-data.ts';

/** As in `ScanRepository`. */
const KEPT_BLOCKS = 4_096n;

/** What was read from the chains. */
export function scanRepository(database: MemoryDatabase): Simulated<'scan'> {
  const { blocks, cursors, events } = database;
  const cursorAt = (chainId: number, nextBlock: bigint) => {
    const cursor = cursors.get(chainId);
    return cursor !== undefined && cursor.nextBlock === nextBlock && cursor.haltedAt === null;
  };
  return {
    cursor: (chainId) => {
      const cursor = cursors.get(chainId);
      return cursor === undefined ? null : { nextBlock: cursor.nextBlock, headBlock: cursor.headBlock };
    },
    begin: (fence, chainId, deployedAtBlock) => {
      database.assertFence(fence);
      if (cursors.get(chainId) !== undefined) return;
      const halts = { haltedAt: null, haltedReason: null, deliveriesHaltedAt: null, deliveriesHaltedReason: null };
      const progress = { nextBlock: deployedAtBlock, headBlock: deployedAtBlock, readAt: database.date() };
      cursors.insert(chainId, { chainId, ...progress, ...halts });
    },
    block: (chainId, number) => fresh(blocks.find(chainId, number)),
    latestBlock: (chainId) => fresh(blocks.newest(chainId, null)),
    blockBelow: (chainId, number) => fresh(blocks.newest(chainId, number)),
    blockUntil: (chainId, number, time) => fresh(blocks.newestUntil(chainId, number, time)),
    progress: (chainId) => {
      const cursor = cursors.get(chainId);
      if (cursor === undefined) return null;
      const { nextBlock, headBlock, readAt } = cursor;
      const blocksBehind = Math.max(0, Number(headBlock - nextBlock + 1n));
      return { nextBlock, headBlock, blocksBehind, ageMs: Math.max(0, Math.round(database.now() - readAt.getTime())) };
    },
    nextOriginNumber: (chainId) => {
      const opened = events.filter(
        (event) => event.chainId === chainId && (event.name === 'Deposit' || event.name === 'Withdraw'),
      );
      const [last] = opened.toSorted(
        (a, b) => compare(b.blockNumber, a.blockNumber) || compare(b.logIndex, a.logIndex),
      );
      return last === undefined ? 0n : BigInt(last.args['nonce'] ?? 0) + 1n;
    },
    extend: (fence, chainId, scanned, headBlock, from = scanned[0]?.number) => {
      const last = scanned.at(-1);
      if (last === undefined || from === undefined) return;
      database.assertFence(fence);
      if (!cursorAt(chainId, from))
        throw new StaleCursorError(`The cursor of chain ${chainId} is not at block ${from}, or is halted`);
      const nextBlock = last.number + 1n;
      cursors.update(chainId, { nextBlock, headBlock, readAt: database.date() });
      storeBlocks(database, chainId, scanned);
      blocks.deleteBetween(
        chainId,
        from - KEPT_BLOCKS,
        nextBlock - KEPT_BLOCKS,
        ({ number }) =>
          events.filter((event) => event.chainId === chainId && event.blockNumber === number).length === 0,
      );
    },
    confirmHead: (fence, chainId, { nextBlock, headBlock }) => {
      database.assertFence(fence);
      if (cursorAt(chainId, nextBlock)) cursors.update(chainId, { headBlock, readAt: database.date() });
    },
    rollBack: (fence, chainId, ancestor) => {
      database.assertFence(fence);
      const cursor = cursors.get(chainId);
      if (cursor === undefined || cursor.haltedAt !== null) throw new StaleCursorError(`Chain ${chainId} is halted`);
      const broken = findBroken(database, chainId, ancestor);
      if (broken.length > 0) throw new FinalityBrokenError(chainId, broken);
      rollBackTo(database, chainId, ancestor);
    },
  };
}

function fresh(block: BlockRecord | undefined): BlockRecord | null {
  return block === undefined ? null : { ...block };
}
