import type { VerifiedLog } from '../blocks/verified-block.js';
import type { Watch } from '../blocks/watch.js';
import type { ChainConnection } from '../nodes/chain-connection.js';
import { QuorumError } from '../rpc/chain-error.js';
import { requestLogs } from './range-logs.js';
import { grown, halved, startingSize } from './reading-size.js';

/** Blocks of the largest request, as many as providers serve in one call. */
const MOST_BLOCKS = 10_000;
const FIRST_BLOCKS = 1_000;

/** A log on which a quorum of nodes agrees. */
export interface AgreedLog extends VerifiedLog {
  readonly blockNumber: bigint;
}

/** A range of blocks. Bounds are inclusive. */
interface Blocks {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Reads logs in ranges, each with equal answers of a quorum of nodes. A range without a quorum is halved.
 *
 * @returns one item per range, with its logs in chain order. Reading stops when the consumer stops.
 * @throws QuorumError if the nodes refuse a single block, or disagree about it.
 */
export async function* readLogs(
  nodes: Pick<ChainConnection, 'agree'>,
  { from: first, to: last, ...watch }: Blocks & Pick<Watch, 'contracts' | 'topics' | 'indexed'>,
): AsyncGenerator<Blocks & { readonly logs: readonly AgreedLog[] }, void, void> {
  let [from, size] = [first, startingSize(FIRST_BLOCKS, MOST_BLOCKS)];
  while (from <= last) {
    const end = from + BigInt(size.blocks) - 1n;
    const range = { from, to: end < last ? end : last };
    const blocks = Number(range.to - from) + 1;
    try {
      const logs = await agreedLogs(nodes, range, watch);
      yield { ...range, logs };
      from = range.to + 1n;
      size = grown(size, blocks, logs.length);
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
    // Without the time, which some nodes omit.
    (answer) => JSON.stringify(answer.map(([number, { hash, logs }]) => [String(number), hash, logs])),
  );
  return blocks.flatMap(([blockNumber, { logs }]) => logs.map((log) => ({ ...log, blockNumber })));
}
