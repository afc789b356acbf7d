import type { VerifiedLog } from '../blocks/verified-block.js';
import type { Watch } from '../blocks/watch.js';
import type { ChainConnection } from '../nodes/chain-connection.js';
import { QuorumError } from '../rpc/chain-error.js';
import { requestLogs } from './range-logs.js';
import { grown, halved, startingSize } from './reading-size.js';

/** Blocks of the largest request: providers serve as many in one call. */
const MOST_BLOCKS = 10_000;

/** A log that a quorum of nodes agrees on. */
export interface AgreedLog extends VerifiedLog {
  readonly blockNumber: bigint;
}

/** Blocks, both inclusive. */
interface Blocks {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Reads logs, each range from a quorum of nodes with equal answers. A range that they refuse is halved.
 *
 * @returns range by range, the logs of each in the order of the chain. Reading ends when no more are taken.
 * @throws QuorumError when they refuse a single block, or differ about it.
 */
export async function* readLogs(
  nodes: Pick<ChainConnection, 'agree'>,
  { from: first, to: last, ...watch }: Blocks & Pick<Watch, 'contracts' | 'topics' | 'indexed'>,
): AsyncGenerator<Blocks & { readonly logs: readonly AgreedLog[] }, void, void> {
  let [from, size] = [first, startingSize(MOST_BLOCKS, MOST_BLOCKS)];
  while (from <= last) {
    const end = from + BigInt(size.blocks) - 1n;
    const range = { from, to: end < last ? end : last };
    const blocks = Number(range.to - from) + 1;
    try {
      yield { ...range, logs: await agreedLogs(nodes, range, watch) };
      from = range.to + 1n;
      size = grown(size, blocks);
    } catch (error) {
      if (!(error instanceof QuorumError) || blocks === 1) throw error;
      size = halved({ ...size, blocks });
    }
  }
}

async function agreedLogs(
  nodes: Pick<ChainConnection, 'agree'>,
  { from, to }: Blocks,
  watch: Watch,
): Promise<AgreedLog[]> {
  const blocks = await nodes.agree(
    async (client) => [...(await requestLogs(client, from, to, watch))].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    // Not every node states the time of a log.
    (answer) => JSON.stringify(answer.map(([number, { hash, logs }]) => [String(number), hash, logs])),
  );
  return blocks.flatMap(([blockNumber, { logs }]) => logs.map((log) => ({ ...log, blockNumber })));
}
