import { describe, expect, it } from '@jest/globals';
import { keccak256, type Hex } from 'viem';
import type { HeadEvent } from '../src/backends/backend.js';
import { startProxy } from './setup/proxy.js';
import { Payer } from './setup/payer.js';
import { UpstreamFixture } from './setup/upstream-fixture.js';

const RECIPIENT = '0x00000000000000000000000000000000000c0ffe';
const fixture = new UpstreamFixture();
const payer = new Payer(fixture.chainId);

describe('two nodes of the same chain', () => {
  it('loses no read when one of them is killed under load', async () => {
    const nodes = await fixture.startTwins();
    await fixture.mineOn(nodes, 3);
    const backend = await fixture.connect(nodes.map(({ url }) => url));
    await fixture.until(() => backend.status().nodes.every(({ healthy }) => healthy));
    const load = { running: true };
    let answered = 0;
    const failures: unknown[] = [];
    const reader = async (index: number) => {
      for (let round = 0; load.running && round < 100_000; round++) {
        try {
          const block = (await backend.request('eth_getBlockByNumber', ['0x3', false])) as { number: Hex };
          const balance = await backend.request('eth_getBalance', [payer.account.address, 'latest']);
          const code = await backend.request('eth_getCode', [`0x${(index + 1).toString(16).padStart(40, '0')}`, '0x2']);
          const nonce = await backend.request('eth_getTransactionCount', [payer.account.address, 'latest']);
          const texts = [balance, code, nonce];
          if (block.number !== '0x3' || texts.some((text) => typeof text !== 'string')) failures.push(block, texts);
          answered += 4;
        } catch (error) {
          failures.push(error);
        }
      }
    };
    const readers = Array.from({ length: 50 }, (_, index) => reader(index));
    await fixture.until(() => answered > 100);
    await nodes[0].stop();
    const before = answered;
    await fixture.pause(1_500);
    await fixture.until(() => answered > before + 100);
    load.running = false;
    await Promise.all(readers);
    expect(failures).toEqual([]);
    expect(backend.status().available).toBe(true);
    expect(backend.status().nodes.map(({ healthy }) => healthy)).toEqual([false, true]);
  });

  it('uses a node again after it has come back', async () => {
    const [first, second] = await fixture.startTwins();
    const backend = await fixture.connect([first.url, second.url]);
    await first.stop();
    await fixture.until(() => backend.status().nodes[0]?.healthy === false);
    await fixture.start({ ...fixture.twin, port: first.port });
    await fixture.until(() => backend.status().nodes[0]?.healthy === true);
    await second.stop();
    expect(await backend.request('eth_blockNumber', [])).toBe('0x0');
  });

  it('does not use a node that is too far behind', async () => {
    const [ahead, behind] = await fixture.startTwins();
    await fixture.mineOn([ahead, behind], 2);
    const backend = await fixture.connect([behind.url, ahead.url], { maxLagBlocks: 3 });
    expect(await backend.request('eth_blockNumber', [])).toBe('0x2');
    await fixture.mineOn([ahead], 4, 3);
    await fixture.until(() => backend.status().nodes[0]?.healthy === false);
    expect(backend.status().nodes[0]?.problem).toBe('is too far behind');
    expect(await backend.request('eth_blockNumber', [])).toBe('0x6');
    await fixture.mineOn([behind], 4, 3);
    await fixture.until(() => backend.status().nodes[0]?.healthy === true);
  });

  it('does not let the chain go back when another node takes over', async () => {
    const [ahead, behind] = await fixture.startTwins();
    await fixture.mineOn([ahead, behind], 2);
    const proxy = await startProxy(behind.url);
    fixture.endWith(proxy.close);
    const backend = await fixture.connect([proxy.url, ahead.url]);
    await fixture.mineOn([ahead], 1, 3);
    await fixture.until(() => backend.status().nodes[1]?.blockNumber === 3);
    const heads = [await backend.request('eth_blockNumber', [])];
    proxy.decide = () => 'break';
    heads.push(await backend.request('eth_blockNumber', []));
    proxy.decide = () => 'pass';
    await fixture.until(() => backend.status().nodes[0]?.healthy === true);
    for (let round = 0; round < 20; round++) heads.push(await backend.request('eth_blockNumber', []));
    expect(heads).toEqual(heads.toSorted((a, b) => Number(a) - Number(b)));
    expect(heads.at(-1)).toBe('0x3');
  });
});

describe('nodes of another chain', () => {
  it('never uses a node with another chain id', async () => {
    const own = await fixture.start(fixture.twin);
    const other = await fixture.start({ chainId: 8902 });
    await other.request('anvil_mine', ['0x64']);
    const spy = await startProxy(other.url);
    fixture.endWith(spy.close);
    const backend = await fixture.connect([spy.url, own.url]);
    expect(backend.status().nodes[0]).toMatchObject({ healthy: false, problem: `is not on chain ${fixture.chainId}` });
    expect(await backend.request('eth_blockNumber', [])).toBe('0x0');
    await own.stop();
    await expect(backend.request('eth_blockNumber', [])).rejects.toMatchObject({ code: -32002 });
    expect(spy.bodies.some((body) => body.includes('eth_blockNumber'))).toBe(false);
  });

  it('never uses a node with the same chain id and another first block', async () => {
    const own = await fixture.start(fixture.twin);
    const other = await fixture.start({ args: ['--timestamp', '1600000000'] });
    await other.request('anvil_mine', ['0x64']);
    const backend = await fixture.connect([own.url, other.url]);
    expect(backend.status().nodes[1]).toMatchObject({ healthy: false });
    expect(backend.status().nodes[1]?.problem).toContain('first block differs');
    expect(await backend.request('eth_blockNumber', [])).toBe('0x0');
  });

  it('uses the configured hash of the first block', async () => {
    const other = await fixture.start({ args: ['--timestamp', '1600000000'] });
    const backend = await fixture.connect([other.url], { genesisHash: `0x${'12'.repeat(32)}` });
    expect(backend.status()).toMatchObject({ available: false, nodes: [{ healthy: false }] });
  });

  it('starts without any node and names the problem, without addresses', async () => {
    const backend = await fixture.connect(['http://127.0.0.1:1/secret-key']);
    expect(backend.status()).toMatchObject({ available: false, blockNumber: null });
    const error = await backend.request('eth_gasPrice', []).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: -32002 });
    expect(JSON.stringify([backend.status(), String(error)])).not.toContain('secret');
  });
});

describe('events of the chain', () => {
  it('emits every block once and in order, and the blocks that a reorg removed, newest first', async () => {
    const anvil = await fixture.start();
    await anvil.request('anvil_mine', ['0x3']);
    const backend = await fixture.connect([anvil.url]);
    const heads: HeadEvent[] = [];
    backend.listen({ onHead: (event) => heads.push(event), onPendingTransaction: ignore, onSyncing: ignore });
    const numbers = () => heads.map(({ header }) => Number(header.number));
    await anvil.request('anvil_mine', ['0x5']);
    await fixture.until(() => heads.length === 5);
    expect(numbers()).toEqual([4, 5, 6, 7, 8]);
    const old = heads.slice(-3).map(({ header }) => header.hash);
    heads.length = 0;
    await anvil.request('anvil_reorg', [3, []]);
    await fixture.until(() => heads.length === 3);
    expect(numbers()).toEqual([6, 7, 8]);
    expect(heads[0]?.removed.map(({ hash }) => hash)).toEqual(old.toReversed());
    expect(heads.slice(1).every(({ removed }) => removed.length === 0)).toBe(true);
    expect(heads.map(({ header }) => header.hash)).not.toEqual(old);
  });

  it('emits a reorg when the chain goes back and then forward on another branch', async () => {
    const anvil = await fixture.start();
    await anvil.request('anvil_mine', ['0x3']);
    const backend = await fixture.connect([anvil.url]);
    const heads: HeadEvent[] = [];
    backend.listen({ onHead: (event) => heads.push(event), onPendingTransaction: ignore, onSyncing: ignore });
    const snapshot = await anvil.request('evm_snapshot');
    await anvil.request('anvil_mine', ['0x2']);
    await fixture.until(() => heads.length === 2);
    const old = heads.splice(0).map(({ header }) => header.hash);
    await anvil.request('evm_revert', [snapshot]);
    await fixture.pause(200);
    expect(heads).toEqual([]);
    await anvil.request('evm_increaseTime', [100]);
    await anvil.request('anvil_mine', ['0x4']);
    await fixture.until(() => heads.length === 4);
    expect(heads.map(({ header }) => Number(header.number))).toEqual([4, 5, 6, 7]);
    expect(heads[0]?.removed.map(({ hash }) => hash)).toEqual(old.toReversed());
    for (const [index, { header }] of heads.entries()) {
      if (index > 0) expect(header.parentHash).toBe(heads[index - 1]?.header.hash);
    }
    expect(await backend.request('eth_getBlockByNumber', ['latest', false])).toMatchObject({
      hash: heads.at(-1)?.header.hash,
    });
  });

  it('emits the hashes of pending transactions', async () => {
    const anvil = await fixture.start({ args: ['--no-mining'] });
    const backend = await fixture.connect([anvil.url]);
    const hashes: Hex[] = [];
    const stop = backend.listen({
      onHead: ignore,
      onPendingTransaction: (hash) => hashes.push(hash),
      onSyncing: ignore,
    });
    await fixture.pause(300);
    const raws = await Promise.all([0, 1, 2].map((next) => payer.sign(next, RECIPIENT, 1n)));
    for (const raw of raws) await backend.request('eth_sendRawTransaction', [raw]);
    await fixture.until(() => hashes.length === 3);
    expect(hashes.toSorted()).toEqual(raws.map((raw) => keccak256(raw)).toSorted());
    stop();
  });

  it('emits when the nodes start and finish syncing', async () => {
    const anvil = await fixture.start();
    const proxy = await startProxy(anvil.url);
    fixture.endWith(proxy.close);
    const backend = await fixture.connect([proxy.url]);
    const states: unknown[] = [];
    backend.listen({ onHead: ignore, onPendingTransaction: ignore, onSyncing: (state) => states.push(state) });
    const syncing = { startingBlock: '0x0', currentBlock: '0x5', highestBlock: '0x64' };
    const { hash: genesisHash } = (await anvil.request('eth_getBlockByNumber', ['0x0', false])) as { hash: Hex };
    proxy.decide = (body) => {
      if (!body.includes('eth_syncing')) return 'pass';
      const block = { hash: genesisHash, parentHash: `0x${'0'.repeat(64)}`, number: '0x0', timestamp: '0x1' };
      const results = { eth_chainId: '0x22c5', eth_getBlockByNumber: block, eth_syncing: syncing };
      const calls = JSON.parse(body) as { id: number; method: keyof typeof results }[];
      return {
        answer: JSON.stringify(calls.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: results[method] }))),
      };
    };
    await fixture.until(() => states.length === 1);
    expect(states).toEqual([syncing]);
    expect(await backend.request('eth_syncing', [])).toEqual(syncing);
    await expect(backend.request('eth_blockNumber', [])).rejects.toMatchObject({ code: -32002 });
    proxy.decide = () => 'pass';
    await fixture.until(() => states.length === 2);
    expect(states[1]).toBe(false);
    expect(await backend.request('eth_blockNumber', [])).toBe('0x0');
  });
});

function ignore(): void {
  // The test does not need these events.
}
