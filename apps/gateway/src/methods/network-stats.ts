import { toHex } from 'viem';
import { z } from 'zod';
import type { Backend } from '../backends/backend.js';
import { hash, quantity64 } from '../schemas/primitives.js';
import { request, requestIfOffered } from './forward.js';

export const networkStats = z
  .strictObject({
    blockNumber: quantity64,
    averageBlockTimeMs: z.number().nonnegative().describe('0 while there is only one block.'),
    transactionsPerSecond: z.number().nonnegative(),
    gasUsedRatio: z.number().min(0).max(1).describe('Gas used, as a fraction of the gas limits of the blocks.'),
    pendingTransactions: quantity64.describe('Transactions in the pending block, as eth_getBlockByNumber shows it.'),
    window: z
      .strictObject({ fromBlock: quantity64, toBlock: quantity64 })
      .describe('The blocks that the figures cover: at most the last 32.'),
  })
  .meta({ id: 'NetworkStats', title: 'network statistics' });

const block = z.object({
  hash,
  parentHash: hash,
  number: quantity64.transform(Number),
  timestamp: quantity64.transform(Number),
  gasUsed: quantity64.transform(Number),
  gasLimit: quantity64.transform(Number),
  transactions: z.array(z.unknown()).transform((transactions) => transactions.length),
});

/** The counted fields of a block, as numbers, with the number of transactions. Times in seconds. */
type CountedBlock = z.infer<typeof block>;

const WINDOW_BLOCKS = 32;

/** Reads the newest blocks of the chain, once per head. */
export class RecentBlocks {
  private reading: { readonly head: string; readonly blocks: Promise<readonly CountedBlock[]> } | null = null;

  constructor(private readonly backend: Backend) {}

  /** Returns the newest blocks, oldest first, each the parent of the next: 32, or all after the genesis. */
  async read(): Promise<readonly CountedBlock[]> {
    const head = await request(this.backend, block, 'eth_getBlockByNumber', ['latest', false]);
    if (this.reading?.head === head.hash) return this.reading.blocks;
    const reading = { head: head.hash, blocks: this.readBack(head) };
    this.reading = reading;
    try {
      return await reading.blocks;
    } catch (error) {
      // Dropped, so that the next caller retries.
      if (this.reading === reading) this.reading = null;
      throw error;
    }
  }

  private async readBack(head: CountedBlock): Promise<readonly CountedBlock[]> {
    // Excludes block 0, because the genesis time does not reflect the block rate.
    const count = Math.max(0, Math.min(WINDOW_BLOCKS, head.number) - 1);
    const numbers = Array.from({ length: count }, (_, back) => head.number - 1 - back);
    const parents = await Promise.all(
      numbers.map((number) => request(this.backend, block.nullable(), 'eth_getBlockByNumber', [toHex(number), false])),
    );
    const chain = [head];
    for (const parent of parents) {
      if (parent === null || parent.hash !== chain[0]?.parentHash) break;
      chain.unshift(parent);
    }
    return chain;
  }
}

/** Computes the recent activity of the chain. */
export async function readNetworkStats(backend: Backend, recent: RecentBlocks): Promise<z.infer<typeof networkStats>> {
  const [blocks, pending] = await Promise.all([
    recent.read(),
    requestIfOffered(backend, quantity64.nullable(), 'eth_getBlockTransactionCountByNumber', ['pending']),
  ]);
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) throw new Error('There is no latest block');
  const seconds = last.timestamp - first.timestamp;
  // The first block's transactions belong to the interval before it.
  const transactions = sum(blocks.slice(1).map((each) => each.transactions));
  const gasLimit = sum(blocks.map((each) => each.gasLimit));
  return {
    blockNumber: toHex(last.number),
    averageBlockTimeMs: blocks.length > 1 ? Math.round((seconds * 1_000) / (blocks.length - 1)) : 0,
    transactionsPerSecond: seconds > 0 ? transactions / seconds : 0,
    gasUsedRatio: gasLimit > 0 ? sum(blocks.map((each) => each.gasUsed)) / gasLimit : 0,
    pendingTransactions: pending ?? '0x0',
    window: { fromBlock: toHex(first.number), toBlock: toHex(last.number) },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
