import { openStore } from '@causeway/store';
import type { Hex, PublicClient } from 'viem';

/** A block that the bridge has read. */
interface ReadBlock {
  readonly number: bigint;
  readonly hash: Hex;
}

/** A chain to compare with the database. */
interface CheckedChain {
  readonly name: string;
  readonly chainId: number;
  readonly client: PublicClient;
}

const FRESH = 'Use --fresh to start with new chains; it moves the current state aside without deleting it.';

/**
 * Compares each chain with the newest block that the database has read of it. After a crash, a chain can lack its last
 * blocks. The relayer would then wait for blocks that never come, or pay for deposits that the chain has lost.
 *
 * @throws Error naming the missing blocks.
 */
export async function assertStateFits(databaseUrl: string, chains: readonly CheckedChain[]): Promise<void> {
  const store = openStore({ databaseUrl, onIdleError: () => undefined });
  try {
    const halted = new Set((await store.halts.list()).map(({ chainId }) => chainId));
    for (const { name, chainId, client } of chains) {
      // The relayer has already noticed the difference, and an operator must decide.
      if (halted.has(chainId)) continue;
      const read = await store.scan.latestBlock(chainId);
      if (read === null) continue;
      const head = await client.getBlockNumber({ cacheTime: 0 });
      const hash = head < read.number ? null : (await client.getBlock({ blockNumber: read.number })).hash;
      const problem = describeGap(name, head, read, hash);
      if (problem !== null) throw new Error(`${problem}\n${FRESH}`);
    }
  } finally {
    await store.close();
  }
}

/**
 * Refuses a database that has read other chains.
 *
 * @throws Error naming the option for another database.
 */
export async function assertDatabaseIsUnused(databaseUrl: string, chainId: number): Promise<void> {
  const store = openStore({ databaseUrl, onIdleError: () => undefined });
  try {
    if ((await store.scan.cursor(chainId)) === null) return;
  } finally {
    await store.close();
  }
  throw new Error(
    'The database belongs to an earlier run with other chains. Give an empty database with --database-url',
  );
}

/**
 * Describes the blocks that a chain lacks.
 *
 * @param head the newest block of the chain.
 * @param read the newest block that the bridge has read.
 * @param hash hash of the chain's block at the height of `read`; null when the chain has no such block.
 * @returns null when the chain has the block.
 */
export function describeGap(name: string, head: bigint, read: ReadBlock, hash: Hex | null): string | null {
  if (hash === read.hash) return null;
  if (hash !== null) {
    return (
      `The chains and the database do not fit together: block ${read.number} of ${name} is not the one ` +
      `that the bridge has read. The last run did not stop cleanly, or part of its state was replaced.`
    );
  }
  const first = head + 1n;
  const missing = first === read.number ? `block ${first} is` : `blocks ${first} to ${read.number} are`;
  return (
    `The chains and the database do not fit together: ${name} is at block ${head}, but the bridge has read ` +
    `up to block ${read.number}; ${missing} missing. The last run ended before they were saved.`
  );
}
