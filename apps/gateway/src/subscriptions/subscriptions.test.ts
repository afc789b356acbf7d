import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pad, type Hex } from 'viem';
import { FakeConnection } from '../../test/setup/caller.js';
import { ScriptedBackend, type ScriptedLog } from '../../test/setup/scripted-backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import { ClientBudget, type ResourceLimits } from '../client-budget.js';
import { BlockLogs } from './block-logs.js';
import { HeadFeed } from './head-feed.js';
import { Subscriptions } from './subscriptions.js';

type SubscriptionTopic = Parameters<Subscriptions['open']>[1];

const TOKEN: Hex = '0x00000000000000000000000000000000000000aa';
const OTHER: Hex = '0x00000000000000000000000000000000000000bb';
const topic = (number: number): Hex => pad(`0x${number.toString(16)}`, { size: 32 });
const transfer = (number: number, address = TOKEN): ScriptedLog => ({ address, topics: [topic(1), topic(number)] });

let backend: ScriptedBackend;
let subscriptions: Subscriptions;
let connection: FakeConnection;
let waits: number[];
let warnings: number;
/** Lets pending work finish. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

function build(limits: Partial<ResourceLimits> = {}): void {
  const feed = new HeadFeed(backend);
  const wait = (ms: number) => {
    waits.push(ms);
    return Promise.resolve();
  };
  const logger = { warn: () => void (warnings += 1) };
  const blockLogs = new BlockLogs(backend, feed, wait);
  subscriptions = new Subscriptions({ backend, feed, blockLogs, logger, budget: new ClientBudget({ limits }) });
}

function open(to: SubscriptionTopic, by = connection): Hex {
  return subscriptions.open(by, to, Promise.resolve());
}

beforeEach(() => {
  backend = new ScriptedBackend(3);
  connection = new FakeConnection();
  waits = [];
  warnings = 0;
  build();
});

afterEach(() => connection.close());

describe('heads, pending transactions and syncing', () => {
  it('delivers heads in order, to each subscription under its own id', async () => {
    const [first, second] = [open({ kind: 'newHeads' }), open({ kind: 'newHeads' })];
    await settle();
    const headers = [backend.mine().header, backend.mine().header];
    expect(connection.results(first)).toEqual(headers);
    expect(connection.results(second)).toEqual(headers);
    expect(JSON.parse(connection.texts[0]!)).toEqual({
      jsonrpc: '2.0',
      method: 'eth_subscription',
      params: { subscription: first, result: headers[0] },
    });
  });

  it('listens to the backend once, and only while there are subscriptions', () => {
    const ids = [open({ kind: 'newHeads' }), open({ kind: 'logs', query: {} })];
    expect(backend.listeners).toBe(1);
    for (const id of ids) subscriptions.end(connection, id);
    expect(backend.listeners).toBe(0);
    expect(subscriptions.count()).toBe(0);
  });

  it('delivers pending transactions', async () => {
    open({ kind: 'pendingTransactions' });
    await settle();
    backend.pend(topic(7));
    backend.mine();
    expect(connection.results()).toEqual([topic(7)]);
  });

  it('delivers the sync status immediately and then its changes', async () => {
    open({ kind: 'syncing' });
    await settle();
    const status = { startingBlock: '0x0', currentBlock: '0x1', highestBlock: '0x9' } as const;
    for (const state of [status, status, false] as const) backend.sync(state);
    expect(connection.results()).toEqual([false, { syncing: true, status }, false]);
  });

  it('holds events back until the client knows the id', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    subscriptions.open(connection, { kind: 'newHeads' }, promise);
    const { header } = backend.mine();
    await settle();
    expect(connection.texts).toEqual([]);
    resolve();
    await settle();
    expect(connection.results()).toEqual([header]);
  });

  it('drops held events when the subscription has ended meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const id = subscriptions.open(connection, { kind: 'newHeads' }, promise);
    backend.mine();
    subscriptions.end(connection, id);
    resolve();
    await settle();
    expect(connection.texts).toEqual([]);
  });

  it('disconnects subscribers of heads and logs when blocks were missed, and no other clients', async () => {
    const untouched = new FakeConnection();
    open({ kind: 'newHeads' });
    open({ kind: 'pendingTransactions' }, untouched);
    backend.mine();
    backend.mine([], false);
    backend.mine();
    await settle();
    expect(connection.reason).toContain('subscribe again');
    expect(untouched.reason).toBeNull();
    expect(warnings).toBe(1);
  });
});

describe('logs', () => {
  it('delivers matching logs, after their head and in the order of the chain', async () => {
    open({ kind: 'newHeads' });
    open({ kind: 'logs', query: { address: [TOKEN], topics: [null, [topic(1), topic(3)]] } });
    await settle();
    backend.mine([transfer(1), transfer(2), transfer(3), transfer(3, OTHER)]);
    backend.mine([transfer(1)]);
    await settle();
    const told = connection.results() as { number?: string; blockNumber?: string; topics?: string[] }[];
    expect(told.filter(({ topics }) => topics !== undefined).map((log) => [log.blockNumber, log.topics?.[1]])).toEqual([
      ['0x4', topic(1)],
      ['0x4', topic(3)],
      ['0x5', topic(1)],
    ]);
    const position = (number: string) => told.findIndex((each) => each.number === number);
    expect(position('0x4')).toBeLessThan(told.findIndex((each) => each.blockNumber === '0x4'));
    expect(position('0x5')).toBeLessThan(told.findIndex((each) => each.blockNumber === '0x5'));
  });

  it('requires as many topics as positions: a null at the end still requires a topic there', async () => {
    open({ kind: 'logs', query: { topics: [[topic(1)], null, null] } });
    await settle();
    backend.mine([transfer(1), { address: TOKEN, topics: [topic(1), topic(2), topic(3)] }]);
    await settle();
    expect(connection.results()).toHaveLength(1);
  });

  it('delivers matching logs to each subscriber, whatever its first condition', async () => {
    const queries = [
      {},
      { address: [TOKEN, OTHER] },
      { address: [OTHER] },
      { topics: [[topic(1)]] },
      { topics: [null, [topic(2), topic(3)]] },
      { address: [OTHER], topics: [null, [topic(3)]] },
      { topics: [[topic(2)], [topic(1)]] },
    ];
    const ids = queries.map((query) => open({ kind: 'logs', query }));
    await settle();
    backend.mine([transfer(2), transfer(3, OTHER), transfer(4)]);
    await settle();
    const told = ids.map((id) =>
      (connection.results(id) as { topics: Hex[] }[]).map(({ topics }) => Number(topics[1])),
    );
    expect(told).toEqual([[2, 3, 4], [2, 3, 4], [3], [2, 3, 4], [2, 3], [3], []]);
    for (const id of ids.slice(1)) subscriptions.end(connection, id);
    backend.mine([transfer(2, OTHER)]);
    await settle();
    expect(ids.map((id) => connection.results(id).length)).toEqual([4, 3, 1, 3, 2, 1, 0]);
  });

  it('reads each block once for all subscribers', async () => {
    open({ kind: 'logs', query: { address: [TOKEN] } });
    open({ kind: 'logs', query: { address: [TOKEN], topics: [[topic(1)]] } });
    await settle();
    backend.mine([transfer(1, OTHER)]);
    backend.mine([transfer(1)]);
    await settle();
    expect(backend.countRequests('eth_getLogs')).toBe(2);
    expect(connection.results()).toHaveLength(2);
  });

  it('reads no logs when no client subscribes to them', async () => {
    open({ kind: 'newHeads' });
    backend.mine([transfer(1)]);
    await settle();
    expect(backend.requests).toEqual([]);
  });

  it('delivers the removed logs of a reorganisation, newest first, and the new branch', async () => {
    open({ kind: 'logs', query: {} });
    await settle();
    backend.mine([transfer(1), transfer(2)]);
    backend.mine([transfer(3)]);
    await settle();
    backend.reorganise(2, [[transfer(4)], [], [transfer(5)]]);
    await settle();
    const told = connection.results() as { topics: Hex[]; removed: boolean }[];
    expect(told.map(({ topics, removed }) => [Number(topics[1]), removed])).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [3, true],
      [2, true],
      [1, true],
      [4, false],
      [5, false],
    ]);
    expect(connection.reason).toBeNull();
  });

  it('does not report blocks added and removed before their logs were read', async () => {
    open({ kind: 'logs', query: {} });
    await settle();
    backend.mine([transfer(1)]);
    backend.reorganise(1, [[transfer(2)]]);
    await settle();
    expect(
      (connection.results() as { topics: Hex[]; removed: boolean }[]).map(({ topics }) => Number(topics[1])),
    ).toEqual([2]);
    expect(connection.reason).toBeNull();
  });

  it('retries when a node does not know the block yet', async () => {
    open({ kind: 'logs', query: {} });
    await settle();
    backend.failures.set('eth_getLogs', [new RpcError('RESOURCE_NOT_FOUND'), new RpcError('RESOURCE_UNAVAILABLE')]);
    backend.mine([transfer(1)]);
    backend.mine([transfer(2)]);
    await settle();
    expect((connection.results() as { topics: Hex[] }[]).map(({ topics }) => Number(topics[1]))).toEqual([1, 2]);
    expect(waits).toEqual([100, 200]);
  });

  it('disconnects rather than skip a block, after a bounded number of attempts', async () => {
    const untouched = new FakeConnection();
    open({ kind: 'logs', query: {} });
    open({ kind: 'newHeads' }, untouched);
    await settle();
    backend.failures.set(
      'eth_getLogs',
      Array.from({ length: 100 }, () => new RpcError('RESOURCE_UNAVAILABLE')),
    );
    backend.mine([transfer(1)]);
    await settle();
    expect(connection.reason).toContain('subscribe again');
    expect(untouched.reason).toBeNull();
    expect(backend.countRequests('eth_getLogs')).toBe(6);
    expect(subscriptions.count()).toBe(1);
    untouched.close();
  });

  it('reads a block with more logs than one response from its receipts', async () => {
    open({ kind: 'logs', query: {} });
    await settle();
    backend.mostLogs = 2;
    backend.mine([transfer(1), transfer(2), transfer(3)]);
    await settle();
    expect(connection.results()).toHaveLength(3);
  });

  it('rejects logs of another block', async () => {
    open({ kind: 'logs', query: {} });
    await settle();
    const honest = backend.request.bind(backend);
    backend.request = async (method, params) => {
      const answer = await honest(method, params);
      return method === 'eth_getLogs' ? (answer as object[]).map((log) => ({ ...log, blockHash: topic(9) })) : answer;
    };
    backend.mine([transfer(1)]);
    await settle();
    expect(connection.texts).toEqual([]);
    expect(connection.reason).not.toBeNull();
  });
});

describe('bounds', () => {
  it('refuses the 101st subscription of a connection until one is ended', () => {
    const ids = Array.from({ length: 100 }, () => open({ kind: 'newHeads' }));
    expect(() => open({ kind: 'newHeads' })).toThrow(expect.objectContaining({ code: -32005 }));
    expect(new Set(ids).size).toBe(100);
    expect(subscriptions.end(connection, ids[0]!)).toBe(true);
    expect(() => open({ kind: 'newHeads' })).not.toThrow();
    expect(subscriptions.count()).toBe(100);
  });

  it('refuses too many addresses and topics, and releases the reservation of a refused one', () => {
    build({ subscriptions: { each: 5, all: 5 }, subscriptionTerms: { each: 3, all: 4 } });
    open({ kind: 'logs', query: { address: [TOKEN, OTHER] } });
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect(() => open({ kind: 'logs', query: { address: [TOKEN, OTHER] } })).toThrow('too many addresses and topics');
    }
    open({ kind: 'logs', query: { address: [TOKEN] } });
    const second = new FakeConnection();
    open({ kind: 'logs', query: { address: [TOKEN] } }, second);
    expect(() => open({ kind: 'logs', query: { address: [TOKEN] } }, new FakeConnection())).toThrow(
      'too many addresses and topics',
    );
    second.close();
    expect(subscriptions.count()).toBe(2);
    open({ kind: 'logs', query: { address: [TOKEN] } }, new FakeConnection());
  });

  it('ends all subscriptions of a closed connection, even if it closed before', async () => {
    open({ kind: 'newHeads' });
    open({ kind: 'logs', query: {} });
    connection.close();
    expect(subscriptions.count()).toBe(0);
    open({ kind: 'newHeads' });
    expect(subscriptions.count()).toBe(0);
    expect(backend.listeners).toBe(0);
    await settle();
  });

  it('continues for others when a slow reader is disconnected during delivery', async () => {
    const slow = new FakeConnection(1);
    open({ kind: 'newHeads' }, slow);
    open({ kind: 'newHeads' });
    await settle();
    for (let block = 0; block < 3; block += 1) backend.mine();
    expect(slow.reason).toBe('too slow');
    expect(connection.texts).toHaveLength(3);
    expect(subscriptions.count()).toBe(1);
  });

  it('disconnects a client whose events pile up before the response with the subscription id', () => {
    subscriptions.open(connection, { kind: 'pendingTransactions' }, Promise.withResolvers<void>().promise);
    for (let hash = 0; hash < 20_000; hash += 1) backend.pend(topic(hash));
    expect(connection.reason).not.toBeNull();
    expect(subscriptions.count()).toBe(0);
  });

  it('does not end the subscription of another client', async () => {
    const id = open({ kind: 'newHeads' });
    expect(subscriptions.end(new FakeConnection(), id)).toBe(false);
    await settle();
    backend.mine();
    expect(connection.texts).toHaveLength(1);
    expect(subscriptions.end(connection, id)).toBe(true);
    expect(subscriptions.end(connection, id)).toBe(false);
    backend.mine();
    expect(connection.texts).toHaveLength(1);
  });
});
