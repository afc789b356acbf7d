import type { z } from 'zod';
import type { Backend } from '../../backends/backend.js';
import { quantity64 } from '../../schemas/quantity-64.js';
import { askIfOffered } from './ask-if-offered.js';
import type { networkStats } from './network-stats.js';
import type { RecentWindow } from './recent-window.js';

/** How busy the chain has been lately. */
export async function readNetworkStats(backend: Backend, recent: RecentWindow): Promise<z.infer<typeof networkStats>> {
  const [blocks, pending] = await Promise.all([
    recent.read(),
    askIfOffered(backend, quantity64.nullable(), 'eth_getBlockTransactionCountByNumber', ['pending']),
  ]);
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) throw new Error('There is no latest block');
  const seconds = last.timestamp - first.timestamp;
  // The first block's transactions are of the time before it.
  const transactions = sum(blocks.slice(1).map((block) => block.transactions));
  const gasLimit = sum(blocks.map((block) => block.gasLimit));
  return {
    blockNumber: toHex(last.number),
    averageBlockTimeMs: blocks.length > 1 ? Math.round((seconds * 1_000) / (blocks.length - 1)) : 0,
    transactionsPerSecond: seconds > 0 ? transactions / seconds : 0,
    gasUsedRatio: gasLimit > 0 ? sum(blocks.map((block) => block.gasUsed)) / gasLimit : 0,
    pendingTransactions: pending ?? '0x0',
    window: { fromBlock: toHex(first.number), toBlock: toHex(last.number) },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function toHex(number: number): string {
  return `0x${number.toString(16)}`;
}
