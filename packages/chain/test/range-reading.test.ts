import { RpcRefusal, startAnvil, type Anvil } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { numberToHex, type Address, type Hex } from 'viem';
import { IncompleteRangeError, type NumberedEvents } from '../src/index.js';
import type { ReaderNodes } from '../src/reader/proven-blocks.js';
import { placeCountingContract, ReaderUnderTest } from './counting-contract.js';
import { withLyingNode, type Json, type Lie } from './lying-node.js';
import { makeQuorum } from './quorum-nodes.js';

// Reading far behind the head: ranges of logs, compared, counted, and proven in full where needed.

type Log = { [key: string]: Json };
const wallet: Address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

let anvil: Anvil;
let numbered: NumberedEvents & { readonly emit: () => Promise<void> };
/** Number of the first and of the last block with something in it. */
let first: bigint;
let last: bigint;
const EVENTS = [0n, 1n, 2n, 3n, 4n, 5n, 6n];
const PAYMENTS = [11n, 12n, 13n];

beforeAll(async () => {
  anvil = await startAnvil({ manualMining: true });
  numbered = await placeCountingContract(anvil);
  first = (await anvil.client.getBlockNumber()) + 1n;
  const pay = (value: bigint) => anvil.wallet.sendTransaction({ to: wallet, value, gas: 21_000n });
  // Blocks with one event, with two in one block, with payments, and many without anything.
  for (const step of [1, 1, 2, 0, 1, 1, 1]) {
    for (let event = 0; event < step; event += 1) await numbered.emit();
    if (step === 2) await pay(11n);
    if (step === 0) for (const value of [12n, 13n]) await pay(value);
    await anvil.test.mine({ blocks: 150 });
  }
  last = await anvil.client.getBlockNumber();
});
afterAll(async () => anvil?.stop());

function makeReader(nodes: ReaderNodes, receivers: readonly Address[] = [], rangeBlocks?: number): ReaderUnderTest {
  const watch = { contracts: [numbered.contract], topics: [numbered.topic], receivers };
  const limits = rangeBlocks === undefined ? {} : { rangeBlocks };
  return new ReaderUnderTest({ nodes, numbered, watch, limits }, first);
}

/** Logs of the range, changed. */
const inLogs =
  (change: (logs: Log[]) => Json): Lie =>
  (method, result) =>
    method === 'eth_getLogs' ? change(result as Log[]) : result;
const isNumber = (number: bigint) => (log: Log) => BigInt(log['data'] as Hex) === number;

describe('a reader far behind the head', () => {
  it('reads ranges first, and then every block near the head', async () => {
    const reader = makeReader(makeQuorum([anvil.url, anvil.url]), [wallet]);
    await reader.catchUp();
    expect(reader.numbers).toEqual(EVENTS);
    expect(reader.paid).toEqual(PAYMENTS);
    expect(reader.nextBlock).toBe(last + 1n);
    expect(reader.hashes.size).toBeLessThan(200);
    for (const [number, hash] of reader.hashes) {
      expect((await anvil.client.getBlock({ blockNumber: number })).hash).toBe(hash);
    }
  });

  it('stores the same as a reader that reads every block', async () => {
    const byRanges = makeReader(makeQuorum([anvil.url]), [wallet]);
    const byBlocks = new ReaderUnderTest(
      {
        nodes: makeQuorum([anvil.url]),
        numbered,
        watch: { contracts: [numbered.contract], topics: [numbered.topic], receivers: [wallet] },
      },
      first,
      // No block is final, so no range is read.
      10_000,
    );
    await Promise.all([byRanges.catchUp(), byBlocks.catchUp()]);
    expect(byBlocks.steps.length).toBeGreaterThan(byRanges.steps.length);
    expect([byRanges.numbers, byRanges.paid]).toEqual([byBlocks.numbers, byBlocks.paid]);
  });

  it.each<[string, Lie, object]>([
    ['hides a log', inLogs((logs) => logs.filter((log) => !isNumber(1n)(log))), { hidden: 1, invented: 0 }],
    ['hides all logs', inLogs(() => []), { hidden: 1, invented: 0 }],
    [
      'invents a log',
      inLogs((logs) => [...logs, ...logs.filter(isNumber(1n)).map((log) => ({ ...log, logIndex: '0x5' }))]),
      { hidden: 0, invented: 1 },
    ],
    [
      'alters a log',
      inLogs((logs) => logs.map((log) => (isNumber(1n)(log) ? { ...log, data: numberToHex(7n, { size: 32 }) } : log))),
      { hidden: 1, invented: 1 },
    ],
    [
      'names another block',
      inLogs((logs) => logs.map((log) => (isNumber(1n)(log) ? { ...log, blockHash: `0x${'11'.repeat(32)}` } : log))),
      { hidden: 1, invented: 1 },
    ],
    [
      'states another time',
      inLogs((logs) => logs.map((log) => (isNumber(1n)(log) ? { ...log, blockTimestamp: '0x7' } : log))),
      { hidden: 1, invented: 1 },
    ],
  ])('overrules and names a node that %s', async (_, lie, fault) => {
    await withLyingNode(anvil.url, lie, async (liar) => {
      for (const urls of [
        [liar, anvil.url],
        [anvil.url, liar],
      ]) {
        const reader = makeReader(makeQuorum(urls));
        await reader.catchUp();
        expect(reader.numbers).toEqual(EVENTS);
        const node = `node ${urls.indexOf(liar)}`;
        expect(reader.faults).toContainEqual(expect.objectContaining({ node, ...fault }));
        expect(reader.faults.every((one) => (one as { node: string }).node === node)).toBe(true);
      }
    });
  });

  it.each<[string, boolean, (logs: Log[]) => Log[]]>([
    ['the logs, where all nodes state it', false, (logs) => logs],
    [
      'the headers, where one node leaves it out',
      true,
      (logs) => logs.map((log) => ({ ...log, blockTimestamp: null })),
    ],
  ])('uses the time of a block from %s', async (_, readsHeaders, change) => {
    const asked = new Set<string>();
    const lie: Lie = (method, ...rest) => (asked.add(method), inLogs(change)(method, ...rest));
    await withLyingNode(anvil.url, lie, async (node) => {
      const reader = makeReader(makeQuorum([node, anvil.url]));
      await reader.catchUp();
      expect(asked.has('eth_getBlockByHash')).toBe(readsHeaders);
      for (const [blockNumber, seconds] of reader.times) {
        expect((await anvil.client.getBlock({ blockNumber })).timestamp).toBe(seconds);
      }
      expect(reader.faults).toEqual([]);
    });
  });

  it('queries a node that lied last, and compares the other two from then on', async () => {
    let asked = 0;
    const lie = inLogs((logs) => ((asked += 1), logs.slice(1)));
    await withLyingNode(anvil.url, lie, async (liar) => {
      const reader = makeReader(makeQuorum([liar, anvil.url, anvil.url], 2), [], 100);
      await reader.catchUp();
      expect(reader.numbers).toEqual(EVENTS);
      expect(asked).toBe(1);
    });
  });

  it("finds a log that all nodes hide by the contract's counter", async () => {
    for (const hidden of EVENTS) {
      const lie = inLogs((logs) => logs.filter((log) => !isNumber(hidden)(log)));
      await withLyingNode(anvil.url, lie, async (liar) => {
        const reader = makeReader(makeQuorum([liar, liar]));
        await reader.catchUp();
        expect(reader.numbers).toEqual(EVENTS);
        expect(reader.faults).toContainEqual(expect.objectContaining({ node: 'node 1', hidden: 1, invented: 0 }));
      });
    }
  });

  it('finds it without old state once a later number shows the gap', async () => {
    const lie: Lie = (method, result, parameters) => {
      if (method === 'eth_call') throw new RpcRefusal(-32_000, 'missing trie node');
      return inLogs((logs) => logs.filter((log) => !isNumber(2n)(log)))(method, result, parameters);
    };
    await withLyingNode(anvil.url, lie, async (liar) => {
      const reader = makeReader(makeQuorum([liar]));
      await reader.catchUp();
      expect(reader.numbers).toEqual(EVENTS);
    });
  });

  it('never continues past a number that no block has', async () => {
    const lie: Lie = (method, result) =>
      method === 'eth_call' ? numberToHex(BigInt(result as Hex) + 1n, { size: 32 }) : result;
    await withLyingNode(anvil.url, lie, async (liar) => {
      const reader = makeReader(makeQuorum([liar]));
      for (let attempt = 0; attempt < 3; attempt += 1)
        await expect(reader.catchUp()).rejects.toThrow(IncompleteRangeError);
      expect(reader.nextBlock).toBe(first);
    });
  });

  it('halves a range that the nodes refuse, and keeps to their limit', async () => {
    const sizes: number[] = [];
    const lie: Lie = (method, result, [filter]) => {
      if (method !== 'eth_getLogs') return result;
      const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex };
      const blocks = Number(BigInt(toBlock) - BigInt(fromBlock)) + 1;
      sizes.push(blocks);
      if (blocks > 100) throw new RpcRefusal(-32_602, `range ${blocks} exceeds limit of 100`);
      return result;
    };
    await withLyingNode(anvil.url, lie, async (node) => {
      const reader = makeReader(makeQuorum([node]));
      await reader.catchUp();
      expect(reader.numbers).toEqual(EVENTS);
      expect(sizes.filter((size) => size === 100).length).toBeGreaterThan(3);
    });
  });

  it.each<[string, (logs: Log[]) => boolean]>([
    ['more than one log', (logs) => logs.length > 1],
    ['any logs', () => true],
  ])('reads a block in full if nodes do not serve %s', async (_, isRefused) => {
    const lie = inLogs((logs) => {
      if (isRefused(logs)) throw new RpcRefusal(-32_005, 'query returned more than 1 results');
      return logs;
    });
    await withLyingNode(anvil.url, lie, async (node) => {
      const reader = makeReader(makeQuorum([node]));
      await reader.catchUp();
      expect(reader.numbers).toEqual(EVENTS);
    });
  });

  it("reads every block where the nodes lack the wallet's old balances", async () => {
    const lie: Lie = (method, result) => {
      if (method === 'eth_getBalance') throw new RpcRefusal(-32_000, 'missing trie node');
      return result;
    };
    await withLyingNode(anvil.url, lie, async (node) => {
      const reader = makeReader(makeQuorum([node]), [wallet]);
      await reader.catchUp();
      expect([reader.numbers, reader.paid]).toEqual([EVENTS, PAYMENTS]);
      expect(reader.hashes.size).toBe(Number(last - first) + 1);
    });
  });

  it('does not skip a payment if one node claims an unchanged balance', async () => {
    const lie: Lie = (method, result) => (method === 'eth_getBalance' ? '0x1' : result);
    await withLyingNode(anvil.url, lie, async (liar) => {
      const reader = makeReader(makeQuorum([liar, anvil.url, anvil.url], 2), [wallet]);
      await reader.catchUp();
      expect(reader.paid).toEqual(PAYMENTS);
    });
  });

  it('detects that the stored blocks are of another branch', async () => {
    const reader = makeReader(makeQuorum([anvil.url]), [], 200);
    await reader.step();
    await reader.step();
    const end = reader.nextBlock - 1n;
    const before = [...reader.hashes.keys()].findLast((number) => number < end);
    reader.hashes.set(end, `0x${'11'.repeat(32)}`);
    reader.restart();
    expect(await reader.step()).toMatchObject({ kind: 'reorg', ancestor: before });
  });
});
