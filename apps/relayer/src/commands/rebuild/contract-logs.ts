import { QuorumError, requestLogs, type ChainConnection, type VerifiedLog, type Watch } from '@causeway/chain';

/** Blocks of the largest request: providers serve as many in one call. */
const MOST_BLOCKS = 10_000n;

/** A log that a quorum of nodes agrees on. */
export interface ContractLog extends VerifiedLog {
  readonly blockNumber: bigint;
}

/** Which logs to read. Blocks are inclusive. */
export interface LogRange extends Pick<Watch, 'contracts' | 'topics'> {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Reads logs, each range from a quorum of nodes with equal answers. A range that they refuse is halved.
 *
 * @param onRange called with the last block of each range.
 * @returns in the order of the chain.
 * @throws QuorumError when they refuse a single block, or differ about it.
 */
export async function readContractLogs(
  connection: Pick<ChainConnection, 'agree'>,
  { from: first, to: last, ...watch }: LogRange,
  onRange: (block: bigint) => void,
): Promise<ContractLog[]> {
  const found: ContractLog[] = [];
  let [from, size] = [first, MOST_BLOCKS];
  while (from <= last) {
    const [start, end] = [from, from + size - 1n < last ? from + size - 1n : last];
    try {
      const logs = await connection.agree(
        async (client) => inOrder(await requestLogs(client, start, end, watch)),
        keyOf,
      );
      found.push(...logs);
      onRange(end);
      from = end + 1n;
      size = size * 2n < MOST_BLOCKS ? size * 2n : MOST_BLOCKS;
    } catch (error) {
      if (!(error instanceof QuorumError) || end === start) throw error;
      size = (end - start + 1n) / 2n;
    }
  }
  return found;
}

function inOrder(blocks: Awaited<ReturnType<typeof requestLogs>>): ContractLog[] {
  return [...blocks]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([blockNumber, { logs }]) => logs.map((log) => ({ ...log, blockNumber })));
}

/** What nodes must agree on. */
function keyOf(logs: readonly ContractLog[]): string {
  return logs
    .map(({ blockNumber, logIndex, transactionHash, topics, data }) =>
      [blockNumber, logIndex, transactionHash, ...topics, data].join(' '),
    )
    .join('\n');
}
