import { startAnvil, type Anvil } from '@causeway/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createPublicClient, http, numberToHex, type Hex, type PublicClient } from 'viem';
import {
  InconsistentBlockError,
  NodeUnavailableError,
  readVerifiedBlocks,
  ReorgTooDeepError,
  scanNext,
  type ScanResult,
} from '../src/index.js';
import { withLyingNode, type Json, type Lie } from './lying-node.js';

let anvil: Anvil;
let client: PublicClient;
/** Block hashes that the reader has stored. */
let stored: Map<bigint, Hex>;
let nextBlock: bigint;

beforeAll(async () => {
  anvil = await startAnvil({ manualMining: true });
  client = createPublicClient({ transport: http(anvil.url), cacheTime: 0 });
});
afterAll(async () => anvil?.stop());
beforeEach(async () => {
  stored = new Map();
  nextBlock = (await client.getBlockNumber()) + 1n;
});

async function scan(maxBlocks = 50, reader = client): Promise<ScanResult> {
  const result = await scanNext({
    client: reader,
    cursor: { nextBlock, lastHash: stored.get(nextBlock - 1n) ?? null },
    recentHashes: (number) => Promise.resolve(stored.get(number) ?? null),
    watch: { contracts: [], receivers: [] },
    maxBlocks,
  });
  if (result.kind === 'extend') {
    for (const { number, hash } of result.blocks) stored.set(number, hash);
    nextBlock += BigInt(result.blocks.length);
  }
  return result;
}

/** Scans through a lying node. */
function through<T>(lie: Lie, look: (client: PublicClient) => Promise<T>): Promise<T> {
  return withLyingNode(anvil.url, lie, (url) =>
    look(createPublicClient({ transport: http(url, { retryCount: 0 }), cacheTime: 0 })),
  );
}

function blockOf(node: Anvil, number: Hex): Promise<Json> {
  return node.client.request<{ Method: string; Parameters: [Hex, boolean]; ReturnType: Json }>({
    method: 'eth_getBlockByNumber',
    params: [number, true],
  });
}
const none = { contracts: [], receivers: [] };

describe('scanNext', () => {
  it('reads new blocks in bounded steps, and is idle when there are none', async () => {
    expect((await scan()).kind).toBe('idle');
    await anvil.test.mine({ blocks: 45 });
    expect(await scan(30)).toMatchObject({ kind: 'extend', blocks: { length: 30 } });
    expect(await scan(30)).toMatchObject({ kind: 'extend', blocks: { length: 15 } });
    expect((await scan()).kind).toBe('idle');
  });

  it('finds the newest common block after a reorg of any depth', async () => {
    await anvil.test.mine({ blocks: 20 });
    await scan();
    const head = await client.getBlockNumber();
    await anvil.test.request({ method: 'anvil_reorg', params: [7, []] } as never);
    await anvil.test.mine({ blocks: 1 });
    expect(await scan()).toMatchObject({ kind: 'reorg', ancestor: head - 7n });
  });

  it('detects a reorg when the chain has become shorter', async () => {
    await anvil.test.mine({ blocks: 10 });
    await scan();
    const head = await client.getBlockNumber();
    await anvil.test.request({ method: 'anvil_rollback', params: [5] } as never);
    // Shorter, but every block is a known one: the node may only lag.
    expect((await scan()).kind).toBe('idle');
    await anvil.test.mine({ blocks: 2, interval: 3 });
    expect(await scan()).toMatchObject({ kind: 'reorg', ancestor: head - 5n });
  });

  it('detects a reorg at a height that did not change', async () => {
    await anvil.test.mine({ blocks: 10 });
    await scan();
    const head = await client.getBlockNumber();
    await anvil.test.request({ method: 'anvil_reorg', params: [3, []] } as never);
    expect(await client.getBlockNumber()).toBe(head);
    expect(await scan()).toEqual({ kind: 'reorg', head, ancestor: head - 3n });
  });

  it('waits for a node that lags', async () => {
    await anvil.test.mine({ blocks: 10 });
    await scan();
    const late = numberToHex((await client.getBlockNumber()) - 4n);
    const lagging: Lie = (method, result) => (method === 'eth_blockNumber' ? late : result);
    expect(await through(lagging, (reader) => scan(50, reader))).toEqual({ kind: 'idle', head: BigInt(late) });
  });

  it('does not advance when the node does not have the blocks it announced', async () => {
    const early: Lie = async (method, result) =>
      method === 'eth_blockNumber' ? numberToHex(BigInt(result as Hex) + 3n) : result;
    expect((await through(early, (reader) => scan(50, reader))).kind).toBe('idle');
  });

  it('reports no reorg when a node sends a hash that its header does not have', async () => {
    await anvil.test.mine({ blocks: 3 });
    await scan();
    const lie: Lie = (method, result) =>
      method === 'eth_getBlockByNumber' ? { ...(result as object), hash: `0x${'11'.repeat(32)}` } : result;
    await expect(through(lie, (reader) => scan(50, reader))).rejects.toThrow(InconsistentBlockError);
  });

  it('reports no reorg when two nodes behind one URL follow different branches', async () => {
    await anvil.test.mine({ blocks: 3 });
    await scan();
    const next = numberToHex(nextBlock);
    await anvil.test.mine({ blocks: 1 });
    const branch = await startAnvil({ manualMining: true, args: ['--timestamp', '1000'] });
    try {
      await branch.test.mine({ blocks: Number(nextBlock) });
      const foreign = await blockOf(branch, next);
      const lie: Lie = (method, result, [number]) =>
        method === 'eth_getBlockByNumber' && number === next ? foreign : result;
      await expect(through(lie, (reader) => scan(50, reader))).rejects.toThrow(InconsistentBlockError);
    } finally {
      await branch.stop();
    }
    expect((await scan()).kind).toBe('extend');
  });

  it('throws NodeUnavailableError when no node answers', async () => {
    const dead = createPublicClient({ transport: http('http://127.0.0.1:9', { retryCount: 0 }) });
    await expect(scan(50, dead)).rejects.toThrow(NodeUnavailableError);
  });

  it('reports how many blocks it compared before it gave up', async () => {
    await anvil.test.mine({ blocks: 3 });
    await scan();
    for (const number of stored.keys()) stored.set(number, `0x${'11'.repeat(32)}`);
    await expect(scan()).rejects.toThrow(/last 3 blocks/);
  });

  it('throws when none of the stored blocks is on the chain', async () => {
    await anvil.test.mine({ blocks: 3 });
    await scan();
    for (const number of stored.keys()) stored.set(number, `0x${'11'.repeat(32)}`);
    await anvil.test.mine({ blocks: 1 });
    await expect(scan()).rejects.toThrow(ReorgTooDeepError);
  });
});

describe('readVerifiedBlocks', () => {
  it.each([1, 3, 20])('reads a verified chain, %i at a time, up to the head of the node', async (concurrency) => {
    await anvil.test.mine({ blocks: 7 });
    const head = await client.getBlockNumber();
    const blocks = await readVerifiedBlocks(client, head - 6n, head + 5n, none, concurrency);
    expect(blocks.map(({ number }) => number)).toEqual([6n, 5n, 4n, 3n, 2n, 1n, 0n].map((back) => head - back));
  });

  it('rejects blocks without parent links', async () => {
    await anvil.test.mine({ blocks: 4 });
    const head = await client.getBlockNumber();
    const branch = await startAnvil({ manualMining: true, args: ['--timestamp', '1000'] });
    try {
      await branch.test.mine({ blocks: Number(head) });
      // A valid block of another chain.
      const lie: Lie = async (method, result, [number]) =>
        method === 'eth_getBlockByNumber' && number === numberToHex(head - 1n) ? blockOf(branch, number) : result;
      const reading = through(lie, (reader) => readVerifiedBlocks(reader, head - 3n, head, none));
      await expect(reading).rejects.toThrow(/its parent is/);
    } finally {
      await branch.stop();
    }
  });

  it('rejects a concurrency below one', async () => {
    await expect(readVerifiedBlocks(client, 0n, 1n, none, 0)).rejects.toThrow(RangeError);
  });
});
