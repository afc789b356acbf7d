import type { PublicClient } from 'viem';
import type { AddressBook } from '@causeway/contracts/address-book';
import type { ChainName } from '@causeway/contracts/deploy';

/** The range that most public nodes accept for eth_getLogs. */
const MOST_BLOCKS = 10_000n;
/** A failed range of at most this many blocks is not halved. */
const LEAST_BLOCKS = 100n;

/** Receives progress lines of a long read. */
export type Report = (line: string) => void;

/** Blocks, both inclusive. */
export interface BlockRange {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/**
 * Reads the logs of a chain from the deployment to its head, range by range. Nodes have different limits, so a failed
 * range is halved.
 *
 * @param report receives a line after each tenth except the last.
 * @throws the error of the node when a small range fails.
 */
export async function readRanges<T>(
  client: PublicClient,
  book: AddressBook,
  chain: ChainName,
  read: (range: BlockRange) => Promise<readonly T[]>,
  report: Report = () => undefined,
): Promise<readonly T[]> {
  const head = await client.getBlockNumber({ cacheTime: 0 });
  const first = BigInt(book[chain].deployedAtBlock);
  const found: (readonly T[])[] = [];
  let [fromBlock, blocks, tenths] = [first, MOST_BLOCKS, 0n];
  while (fromBlock <= head) {
    const last = fromBlock + blocks - 1n;
    const toBlock = last < head ? last : head;
    try {
      found.push(await read({ fromBlock, toBlock }));
    } catch (error) {
      if (blocks <= LEAST_BLOCKS) throw error;
      blocks /= 2n;
      continue;
    }
    fromBlock = toBlock + 1n;
    const done = ((fromBlock - first) * 10n) / (head + 1n - first);
    if (done > tenths && fromBlock <= head) report(`read ${chain} to block ${toBlock} of ${head}`);
    tenths = done;
  }
  return found.flat();
}
