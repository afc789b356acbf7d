import type { PublicClient } from 'viem';
import type { AddressBook } from '@causeway/contracts/address-book';
import type { ChainName } from '@causeway/contracts/deploy';

/** Public nodes answer eth_getLogs for about this range. */
const MOST_BLOCKS = 10_000n;
/** A range of this many blocks or fewer is not halved when its request fails. */
const LEAST_BLOCKS = 100n;

/** Receives lines about a long reading. */
export type Report = (line: string) => void;

/** Blocks, both inclusive. */
export interface BlockRange {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/**
 * Reads the logs of a chain from the deployment to its head, range by range. Nodes bound a range differently, so one
 * that fails is halved.
 *
 * @param report receives a line at each tenth that leaves something to read.
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
