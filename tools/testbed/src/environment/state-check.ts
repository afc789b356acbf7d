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

const FRESH = 'Start with --fresh: it begins with new chains and moves the present state aside, without deleting it.';

/**
 * Compares the newest block that the database knows of each chain with the chain. After a crash a chain may lack its
 * last blocks. The relayer would then wait for blocks that never come, or pay for deposits that do not exist any more.
 *
 * @throws Error naming the missing blocks.
 */
export async function assertStateFits(databaseUrl: string, chains: readonly CheckedChain[]): Promise<void> {
  const store = openStore({ databaseUrl, onIdleError: () => undefined });
  try {
    const halted = new Set((await store.halts.list()).map(({ chainId }) => chainId));
    for (const { name, chainId, client } of chains) {
      // The relayer has noticed the difference already, and an operator decides about it.
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
 * Refuses a database that has read other chains than the new ones.
 *
 * @throws Error that names the option for another database.
 */
export async function assertDatabaseIsUnused(databaseUrl: string, chainId: number): Promise<void> {
  const store = openStore({ databaseUrl, onIdleError: () => undefined });
  try {
    if ((await store.scan.cursor(chainId)) === null) return;
  } finally {
    await store.close();
  }
  throw new Error('The database belongs to an earlier run with other chains. Give an empty one with --database-url');
}

/**
 * Says which blocks a chain lacks.
 *
 * @param head the newest block of the chain.
 * @param read the newest block that the bridge has read.
 * @param hash of the chain's block at the height of `read`; null when the chain is not that high.
 * @returns null when the chain has the block.
 */
export function describeGap(name: string, head: bigint, read: ReadBlock, hash: Hex | null): string | null {
  if (hash === read.hash) return null;
  if (hash !== null) {
    return (
      `The chains and the database do not fit together: block ${read.number} of ${name} is not the one ` +
      `that the bridge has read. The last run did not end in order, or one part of its state was replaced.`
    );
  }
  const first = head + 1n;
  const missing = first === read.number ? `block ${first} is` : `blocks ${first} to ${read.number} are`;
  return (
    `The chains and the database do not fit together: ${name} stands at block ${head}, but the bridge has read ` +
    `up to block ${read.number}; ${missing} missing. The last run ended before they were saved.`
  );
}
