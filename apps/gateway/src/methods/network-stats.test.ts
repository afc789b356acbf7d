import { describe, expect, it } from '@jest/globals';
import { ScriptedBackend } from '../../test/setup/scripted-backend.js';
import { readNetworkStats, RecentBlocks } from './network-stats.js';

/** A chain that grows by the given blocks: the number of transactions per block. */
class Blocks extends ScriptedBackend {
  asked = 0;
  readonly blocks: Record<string, unknown>[] = [];
  secondsPerBlock = 2;

  grow(transactions: number, branch = 'a'): void {
    const number = this.blocks.length;
    this.blocks.push({
      hash: makeHash(number, branch),
      parentHash: this.blocks.at(-1)?.['hash'] ?? makeHash(0, '0'),
      number: `0x${number.toString(16)}`,
      timestamp: `0x${(1_000 + number * this.secondsPerBlock).toString(16)}`,
      gasUsed: `0x${(transactions * 100).toString(16)}`,
      gasLimit: '0x3e8',
      transactions: Array.from({ length: transactions }, () => makeHash(number, 'f')),
    });
  }

  override request(method: string, params: readonly unknown[]): Promise<unknown> {
    if (method === 'eth_getBlockTransactionCountByNumber') return Promise.resolve('0x7');
    this.asked += 1;
    const [block] = params;
    return Promise.resolve((block === 'latest' ? this.blocks.at(-1) : this.blocks[Number(block)]) ?? null);
  }
}

function makeHash(number: number, branch: string): string {
  return `0x${number.toString(16).padStart(63, '0')}${branch}`;
}

const readNumbers = async (window: RecentBlocks) => (await window.read()).map(({ number }) => number);

describe('the window of recent blocks', () => {
  it('is the last 32 blocks, read once per head', async () => {
    const backend = new Blocks();
    for (let block = 0; block < 50; block += 1) backend.grow(1);
    const window = new RecentBlocks(backend);
    expect(await readNumbers(window)).toEqual(Array.from({ length: 32 }, (_, index) => 18 + index));
    expect(backend.asked).toBe(32);
    await Promise.all(Array.from({ length: 10 }, () => window.read()));
    expect(backend.asked).toBe(42);
    backend.grow(1);
    expect((await readNumbers(window)).at(0)).toBe(19);
    expect(backend.asked).toBe(74);
  });

  it('is a whole short chain except the genesis, whose time does not reflect the block rate', async () => {
    const backend = new Blocks();
    backend.grow(0);
    expect(await readNumbers(new RecentBlocks(backend))).toEqual([0]);
    backend.grow(1);
    expect(await readNumbers(new RecentBlocks(backend))).toEqual([1]);
  });

  it('follows a reorganisation', async () => {
    const backend = new Blocks();
    for (let block = 0; block < 10; block += 1) backend.grow(1);
    const window = new RecentBlocks(backend);
    await window.read();
    backend.blocks.splice(7);
    for (let block = 0; block < 4; block += 1) backend.grow(2, 'b');
    const blocks = await window.read();
    expect(blocks.map(({ number, transactions }) => [number, transactions])).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((number) => [number, 1]),
      ...[7, 8, 9, 10].map((number) => [number, 2]),
    ]);
  });

  it('retries after a failure', async () => {
    const backend = new Blocks();
    for (let block = 0; block < 4; block += 1) backend.grow(1);
    const honest = backend.request.bind(backend);
    backend.request = (method, params) =>
      params[0] === '0x1' ? Promise.reject(new Error('away')) : honest(method, params);
    const window = new RecentBlocks(backend);
    await expect(window.read()).rejects.toThrow('away');
    backend.request = honest;
    expect(await readNumbers(window)).toEqual([1, 2, 3]);
  });
});

describe('the network statistics', () => {
  it('are computed from the window', async () => {
    const backend = new Blocks();
    for (const transactions of [9, 1, 2, 3]) backend.grow(transactions);
    expect(await readNetworkStats(backend, new RecentBlocks(backend))).toEqual({
      blockNumber: '0x3',
      averageBlockTimeMs: 2_000,
      transactionsPerSecond: 1.25,
      gasUsedRatio: 0.2,
      pendingTransactions: '0x7',
      window: { fromBlock: '0x1', toBlock: '0x3' },
    });
  });

  it('do not divide by zero', async () => {
    const backend = new Blocks();
    backend.secondsPerBlock = 0;
    backend.grow(1);
    const first = await readNetworkStats(backend, new RecentBlocks(backend));
    expect([first.averageBlockTimeMs, first.transactionsPerSecond]).toEqual([0, 0]);
    backend.grow(1);
    const second = await readNetworkStats(backend, new RecentBlocks(backend));
    expect([second.averageBlockTimeMs, second.transactionsPerSecond]).toEqual([0, 0]);
  });
});
