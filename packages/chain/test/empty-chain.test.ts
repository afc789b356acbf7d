import { describe, expect, it } from '@jest/globals';
import { createPublicClient, custom, numberToHex, pad, type Hex } from 'viem';
import { headerHash } from '../src/blocks/header.js';
import { ReaderUnderTest } from './counting-contract.js';
import { makeConnection } from './quorum-nodes.js';

// A scripted chain of a million empty blocks.

const HEAD = 1_000_000n;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const numbered = { contract: CONTRACT, topic: pad('0x70'), counter: '0x01' } as const;
const ZERO = pad('0x');

/** A header without a parent link: the reader compares only neighbours, and reads none here. */
function makeHeader(number: bigint) {
  const header = {
    parentHash: numberToHex(number, { size: 32 }),
    sha3Uncles: ZERO,
    miner: CONTRACT,
    stateRoot: ZERO,
    transactionsRoot: ZERO,
    receiptsRoot: ZERO,
    logsBloom: pad('0x', { size: 256 }),
    difficulty: '0x0',
    number: numberToHex(number),
    gasLimit: '0x1',
    gasUsed: '0x0',
    timestamp: numberToHex(number),
    extraData: '0x',
    mixHash: ZERO,
    nonce: '0x0000000000000000',
  } as const;
  return { ...header, hash: headerHash({ ...header, hash: ZERO }) };
}

/** Nodes that count their calls. */
function scriptedNodes(count: number, quorum: number, answers: { [method: string]: (block: bigint) => unknown } = {}) {
  const calls = new Map<string, number>();
  const request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    calls.set(method, (calls.get(method) ?? 0) + 1);
    const [first, second] = (params ?? []) as Hex[];
    const override = answers[method];
    if (override !== undefined) return override(BigInt(second ?? '0x0'));
    switch (method) {
      case 'eth_blockNumber':
        return numberToHex(HEAD);
      case 'eth_getBlockByNumber':
        return makeHeader(BigInt(first ?? '0x0'));
      case 'eth_getLogs':
        return [];
      case 'eth_call':
        return ZERO;
      case 'eth_getBalance':
      case 'eth_getTransactionCount':
        return '0x5';
      default:
        throw new Error(`${method} is not scripted`);
    }
  };
  const nodes = Array.from({ length: count }, (_, index) => ({
    name: `node ${index}`,
    client: createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 }),
  }));
  return { calls, connection: makeConnection(nodes, quorum) };
}

describe('a million blocks without hits', () => {
  it.each<[string, boolean, number, number]>([
    ['of Ethereum, two of three nodes', false, 3, 2],
    ['of the partner chain, two of three nodes', true, 3, 2],
    ['of the partner chain, one node', true, 1, 1],
  ])('%s, are read in at most 1,600 calls', async (_, hasWallet, count, quorum) => {
    const { calls, connection } = scriptedNodes(count, quorum);
    const watch = { contracts: [CONTRACT], topics: [numbered.topic], receivers: hasWallet ? [CONTRACT] : [] };
    const reader = new ReaderUnderTest({ nodes: connection, numbered, watch }, 1n);
    while (reader.nextBlock <= HEAD - 200n) expect((await reader.step()).kind).toBe('extend');
    const total = [...calls.values()].reduce((sum, one) => sum + one, 0);
    expect(total).toBeLessThanOrEqual(1_600);
    expect(reader.steps.length).toBeLessThan(120);
  });

  it('are read in full where the balance changes, so that no payment is skipped', async () => {
    const paidIn = 654_321n;
    const { connection } = scriptedNodes(1, 1, {
      eth_getBalance: (block) => (block >= paidIn ? '0x9' : '0x5'),
    });
    const watch = { contracts: [CONTRACT], receivers: [CONTRACT] };
    const reader = new ReaderUnderTest({ nodes: connection, numbered, watch }, 1n);
    // The scripted chain has no full blocks: the reader must request one, and stop there.
    const reading = (async () => {
      while (reader.nextBlock <= HEAD - 200n) await reader.step();
    })();
    await expect(reading).rejects.toThrow(/transactions/);
    expect(reader.nextBlock).toBeLessThanOrEqual(paidIn);
    expect(reader.nextBlock).toBeGreaterThan(paidIn - 20_000n);
  });
});
