import { startAnvil, type Anvil } from '@causeway/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createPublicClient, http, numberToHex, type Hex, type PublicClient } from 'viem';
import {
  InconsistentBlockError,
  NodeUnavailableError,
  readVerifiedBlocks,
  ReorgTooDeepError,
  type NumberedEvents,
} from '../src/index.js';
import { placeCountingContract, ReaderUnderTest } from './counting-contract.js';
import { withLyingNode, type Json, type Lie } from './lying-node.js';
import { makeQuorum } from './quorum-nodes.js';

// Reading at the head: every block, verified, up to a hash on which the quorum agrees.

let anvil: Anvil;
let client: PublicClient;
let numbered: NumberedEvents & { readonly emit: () => Promise<void> };
let reader: ReaderUnderTest;

beforeAll(async () => {
  anvil = await startAnvil({ manualMining: true });
  client = createPublicClient({ transport: http(anvil.url), cacheTime: 0 });
  numbered = await placeCountingContract(anvil);
});
afterAll(async () => anvil?.stop());
beforeEach(async () => {
  reader = await makeReader([anvil.url]);
});

async function makeReader(urls: readonly string[], quorum?: number): Promise<ReaderUnderTest> {
  const nextBlock = (await client.getBlockNumber()) + 1n;
  const watch = { contracts: [numbered.contract], topics: [numbered.topic] };
  return new ReaderUnderTest({ nodes: makeQuorum(urls, quorum), numbered, watch }, nextBlock, 64);
}

/** Reads a step through a lying node. */
function through(lie: Lie) {
  return withLyingNode(anvil.url, lie, async (url) => {
    reader.restart(makeQuorum([url]));
    return reader.step();
  });
}

function readBlock(node: Anvil, number: Hex): Promise<Json> {
  return node.client.request<{ Method: string; Parameters: [Hex, boolean]; ReturnType: Json }>({
    method: 'eth_getBlockByNumber',
    params: [number, false],
  });
}

describe('a reader at the head', () => {
  it('reads new blocks in bounded steps, and is idle when there are none', async () => {
    expect((await reader.step()).kind).toBe('idle');
    await anvil.test.mine({ blocks: 45 });
    expect(await reader.step()).toMatchObject({ kind: 'extend', blocks: { length: 16 } });
    expect(await reader.step()).toMatchObject({ kind: 'extend', blocks: { length: 29 } });
    expect((await reader.step()).kind).toBe('idle');
  });

  it('finds the newest common block after a reorg of any depth', async () => {
    await anvil.test.mine({ blocks: 20 });
    await reader.catchUp();
    const head = await client.getBlockNumber();
    await anvil.test.request({ method: 'anvil_reorg', params: [7, []] } as never);
    await anvil.test.mine({ blocks: 1 });
    expect(await reader.step()).toMatchObject({ kind: 'reorg', ancestor: head - 7n });
  });

  it('detects a reorg if the chain has become shorter', async () => {
    await anvil.test.mine({ blocks: 10 });
    await reader.catchUp();
    const head = await client.getBlockNumber();
    await anvil.test.request({ method: 'anvil_rollback', params: [5] } as never);
    // Shorter, but every block is known, so the nodes may only lag.
    expect((await reader.step()).kind).toBe('idle');
    await anvil.test.mine({ blocks: 2, interval: 3 });
    expect(await reader.step()).toMatchObject({ kind: 'reorg', ancestor: head - 5n });
  });

  it('detects a reorg at an unchanged height', async () => {
    await anvil.test.mine({ blocks: 10 });
    await reader.catchUp();
    const head = await client.getBlockNumber();
    await anvil.test.request({ method: 'anvil_reorg', params: [3, []] } as never);
    expect(await client.getBlockNumber()).toBe(head);
    expect(await reader.step()).toEqual({ kind: 'reorg', head, ancestor: head - 3n });
  });

  it('waits for lagging nodes', async () => {
    await anvil.test.mine({ blocks: 10 });
    await reader.catchUp();
    const late = numberToHex((await client.getBlockNumber()) - 4n);
    const step = await through((method, result) => (method === 'eth_blockNumber' ? late : result));
    expect(step).toEqual({ kind: 'idle', head: BigInt(late) });
  });

  it('does not advance if the nodes lack the blocks that they announced', async () => {
    const early: Lie = (method, result) =>
      method === 'eth_blockNumber' ? numberToHex(BigInt(result as Hex) + 3n) : result;
    expect((await through(early)).kind).toBe('idle');
  });

  it('reads no block of a branch on only one node', async () => {
    await anvil.test.mine({ blocks: 3 });
    await reader.catchUp();
    const next = numberToHex(reader.nextBlock);
    await anvil.test.mine({ blocks: 1 });
    const branch = await startAnvil({ manualMining: true, args: ['--timestamp', '1000'] });
    try {
      await branch.test.mine({ blocks: Number(reader.nextBlock) });
      const foreign = await readBlock(branch, next);
      const lie: Lie = (method, result, [number]) =>
        method === 'eth_getBlockByNumber' && number === next ? foreign : result;
      await expect(through(lie)).rejects.toThrow(InconsistentBlockError);
      await withLyingNode(anvil.url, lie, async (url) => {
        reader.restart(makeQuorum([url, anvil.url, anvil.url], 2));
        expect((await reader.step()).kind).toBe('extend');
      });
    } finally {
      await branch.stop();
    }
    const { hash } = await client.getBlock({ blockNumber: reader.nextBlock - 1n });
    expect(reader.hashes.get(reader.nextBlock - 1n)).toBe(hash);
  });

  it('reports no reorg if a node sends a hash that does not match the header', async () => {
    await anvil.test.mine({ blocks: 3 });
    await reader.catchUp();
    const lie: Lie = (method, result) =>
      method === 'eth_getBlockByNumber' ? { ...(result as object), hash: `0x${'11'.repeat(32)}` } : result;
    await expect(through(lie)).rejects.toThrow(/header gives the hash|no quorum/);
  });

  it('throws NodeUnavailableError if no node answers', async () => {
    reader.restart(makeQuorum(['http://127.0.0.1:9']));
    await expect(reader.step()).rejects.toThrow(NodeUnavailableError);
  });

  it('continues without an unavailable node', async () => {
    await numbered.emit();
    await anvil.test.mine({ blocks: 5 });
    reader.restart(makeQuorum(['http://127.0.0.1:9', anvil.url, anvil.url], 2));
    const before = reader.numbers.length;
    await reader.catchUp();
    expect(reader.numbers).toHaveLength(before + 1);
  });

  it('throws if no stored block is on the chain', async () => {
    await anvil.test.mine({ blocks: 3 });
    await reader.catchUp();
    for (const number of reader.hashes.keys()) reader.hashes.set(number, `0x${'11'.repeat(32)}`);
    await expect(reader.step()).rejects.toThrow(/last 3 blocks/);
    await anvil.test.mine({ blocks: 1 });
    await expect(reader.step()).rejects.toThrow(ReorgTooDeepError);
  });
});

describe('readVerifiedBlocks', () => {
  const none = { contracts: [], receivers: [] };

  it.each([1, 3, 20])('reads a verified chain, %i at a time, up to the head of the node', async (concurrency) => {
    await anvil.test.mine({ blocks: 7 });
    const head = await client.getBlockNumber();
    const blocks = await readVerifiedBlocks(client, head - 6n, head + 5n, none, { concurrency });
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
        method === 'eth_getBlockByNumber' && number === numberToHex(head - 1n) ? readBlock(branch, number) : result;
      await withLyingNode(anvil.url, lie, async (url) => {
        const lied = createPublicClient({ transport: http(url, { retryCount: 0 }), cacheTime: 0 });
        await expect(readVerifiedBlocks(lied, head - 3n, head, none)).rejects.toThrow(/its parent is/);
      });
    } finally {
      await branch.stop();
    }
  });

  it('rejects a concurrency below one', async () => {
    await expect(readVerifiedBlocks(client, 0n, 1n, none, { concurrency: 0 })).rejects.toThrow(RangeError);
  });
});
