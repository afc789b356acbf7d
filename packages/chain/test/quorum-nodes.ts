import { createPublicClient, http, type PublicClient } from 'viem';
import { readHeader } from '../src/blocks/header.js';
import type { ChainNode } from '../src/nodes/chain-connection.js';
import type { ReaderNodes } from '../src/reader/proven-blocks.js';
import { NodeUnavailableError } from '../src/rpc/chain-error.js';

/** A minimal connection of several nodes: it queries all, and `quorum` equal answers decide. */
export function makeQuorum(urls: readonly string[], quorum = urls.length): ReaderNodes {
  const nodes: ChainNode[] = urls.map((url, index) => ({
    name: `node ${index}`,
    client: createPublicClient({ transport: http(url, { retryCount: 0, batch: { batchSize: 100 } }), cacheTime: 0 }),
  }));
  return makeConnection(nodes, quorum);
}

/** The same for given nodes. */
export function makeConnection(nodes: readonly ChainNode[], quorum: number): ReaderNodes {
  const agree = async <T>(
    read: (client: PublicClient) => Promise<T>,
    toKey: (answer: T) => string = String,
  ): Promise<T> => {
    const answers = await Promise.allSettled(nodes.map(({ client }) => read(client)));
    const votes = new Map<string, T[]>();
    for (const answer of answers) {
      if (answer.status === 'rejected') continue;
      const key = toKey(answer.value);
      votes.set(key, [...(votes.get(key) ?? []), answer.value]);
    }
    for (const equal of votes.values()) if (equal.length >= quorum) return equal[0] as T;
    const failed = answers.find((answer) => answer.status === 'rejected');
    throw new NodeUnavailableError(`no quorum: ${String(failed?.reason ?? [...votes.keys()].join(', '))}`);
  };
  return {
    quorum,
    usable: () => nodes,
    ask: async (read) => {
      const failures: unknown[] = [];
      for (const { client } of nodes) {
        try {
          return await read(client);
        } catch (error) {
          failures.push(error);
        }
      }
      throw failures.at(-1) ?? new NodeUnavailableError('no node');
    },
    agree,
    agreedHead: async () => {
      const heads = await Promise.allSettled(nodes.map(({ client }) => client.getBlockNumber({ cacheTime: 0 })));
      const known = heads.flatMap((head) => (head.status === 'fulfilled' ? [head.value] : []));
      const agreed = known.toSorted((a, b) => (a < b ? 1 : -1))[quorum - 1];
      if (agreed === undefined) throw new NodeUnavailableError('no quorum');
      return agreed;
    },
    agreedBlock: (number) =>
      agree(
        async (client) => {
          const header = await readHeader(client, number);
          if (header === null) return null;
          const { hash, parentHash, timestamp } = header;
          return { number, hash, parentHash, timestampSeconds: BigInt(timestamp) };
        },
        (block) => block?.hash ?? 'none',
      ),
  };
}
