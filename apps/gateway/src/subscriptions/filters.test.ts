import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pad, type Hex } from 'viem';
import { ScriptedBackend, type ScriptedLog } from '../../test/setup/scripted-backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import { ClientBudget, type ResourceLimits } from '../client-budget.js';
import type { LogQuery } from '../schemas/log-filter.js';
import { BlockLogs } from './block-logs.js';
import { Filters } from './filters.js';
import { HeadFeed } from './head-feed.js';

const TOKEN: Hex = '0x00000000000000000000000000000000000000aa';
const OTHER: Hex = '0x00000000000000000000000000000000000000bb';
const IP = '192.0.2.1';
const LATEST = { fromBlock: 'latest', toBlock: 'latest' };
const topic = (number: number): Hex => pad(`0x${number.toString(16)}`, { size: 32 });
const transfer = (number: number, address = TOKEN): ScriptedLog => ({ address, topics: [topic(number)] });
const gone = expect.objectContaining({ code: -32000, message: 'filter not found' });

let backend: ScriptedBackend;
let filters: Filters;
let now: number;

function build(limits: Partial<ResourceLimits> = {}, blockTimeoutMs = 50): void {
  const feed = new HeadFeed(backend);
  const blockLogs = new BlockLogs(backend, feed, () => Promise.resolve());
  filters = new Filters({
    backend,
    feed,
    blockLogs,
    now: () => now,
    budget: new ClientBudget({ limits }),
    blockTimeoutMs,
  });
}

const logFilter = (query: LogQuery = LATEST, ip = IP) => filters.create(ip, { kind: 'logs', query });

/** First topics of the logs of a poll; negative for removed logs. */
async function poll(id: Hex): Promise<number[]> {
  const logs = (await filters.changes(id)) as { topics: Hex[]; removed: boolean }[];
  return logs.map(({ topics, removed }) => Number(topics[0]) * (removed ? -1 : 1));
}

beforeEach(() => {
  backend = new ScriptedBackend(5);
  now = 1_000;
  build();
});

afterEach(() => filters.close());

describe('block filters', () => {
  it('reports each new block once', async () => {
    const id = await filters.create(IP, { kind: 'blocks' });
    expect(await filters.changes(id)).toEqual([]);
    const hashes = [backend.mine(), backend.mine()].map(({ header }) => header.hash);
    expect(await filters.changes(id)).toEqual(hashes);
    expect(await filters.changes(id)).toEqual([]);
  });

  it('reports the blocks of a new branch, but not blocks added and removed between two polls', async () => {
    const id = await filters.create(IP, { kind: 'blocks' });
    backend.mine();
    await filters.changes(id);
    backend.mine();
    backend.reorganise(2, [[], [], []]);
    const told = await filters.changes(id);
    expect(told).toHaveLength(3);
    expect(told.at(-1)).toBe(backend.head.hash);
  });

  it('does not report a block from before the filter that the backend announces later', async () => {
    const event = backend.mine([], false);
    const id = await filters.create(IP, { kind: 'blocks' });
    backend.tell(event);
    expect(await filters.changes(id)).toEqual([]);
    const { header } = backend.mine();
    expect(await filters.changes(id)).toEqual([header.hash]);
  });

  it('waits for a block that the backend has but has not announced yet', async () => {
    const id = await filters.create(IP, { kind: 'blocks' });
    const event = backend.mine([], false);
    setTimeout(() => backend.tell(event), 10);
    expect(await filters.changes(id)).toEqual([event.header.hash]);
  });

  it('answers after the timeout if the block is not announced', async () => {
    const id = await filters.create(IP, { kind: 'blocks' });
    backend.mine([], false);
    expect(await filters.changes(id)).toEqual([]);
  });

  it('ends when blocks were missed', async () => {
    const id = await filters.create(IP, { kind: 'blocks' });
    backend.mine();
    backend.mine([], false);
    backend.mine();
    await expect(filters.changes(id)).rejects.toEqual(gone);
    expect(filters.count()).toBe(0);
  });
});

describe('pending filters', () => {
  it('reports each hash once, to every filter', async () => {
    const first = await filters.create(IP, { kind: 'pendingTransactions' });
    backend.pend(topic(1));
    const second = await filters.create(IP, { kind: 'pendingTransactions' });
    backend.pend(topic(2));
    expect(await filters.changes(first)).toEqual([topic(1), topic(2)]);
    expect(await filters.changes(second)).toEqual([topic(2)]);
    expect(await filters.changes(first)).toEqual([]);
  });

  it('keeps the newest when no client polls', async () => {
    const id = await filters.create(IP, { kind: 'pendingTransactions' });
    for (let hash = 0; hash < 100_000; hash += 1) backend.pend(topic(hash));
    const told = await filters.changes(id);
    expect(told.length).toBeLessThanOrEqual(40_000);
    expect(told.at(-1)).toBe(topic(99_999));
  });
});

describe('log filters', () => {
  it('reports matching logs of new blocks once, in order', async () => {
    backend.mine([transfer(1)]);
    const id = await logFilter({ ...LATEST, address: [TOKEN] });
    backend.mine([transfer(2), transfer(3, OTHER)]);
    backend.mine([transfer(4)]);
    expect(await poll(id)).toEqual([2, 4]);
    expect(await poll(id)).toEqual([]);
  });

  it('reports only its block range', async () => {
    const id = await logFilter({ fromBlock: '0x7', toBlock: '0x8' });
    for (let number = 6; number <= 9; number += 1) backend.mine([transfer(number)]);
    expect(await poll(id)).toEqual([7, 8]);
  });

  it('reports the logs that a reorganisation removed and those of the new branch', async () => {
    const id = await logFilter();
    backend.mine([transfer(1)]);
    backend.mine([transfer(2), transfer(3)]);
    expect(await poll(id)).toEqual([1, 2, 3]);
    backend.reorganise(2, [[transfer(4)], [transfer(5)]]);
    expect(await poll(id)).toEqual([-3, -2, -1, 4, 5]);
    expect(await poll(id)).toEqual([]);
  });

  it('does not report logs added and removed between two polls', async () => {
    const id = await logFilter();
    backend.mine([transfer(1)]);
    backend.reorganise(1, [[transfer(2)]]);
    expect(await poll(id)).toEqual([2]);
  });

  it('reports logs of a new branch even from block numbers before the filter', async () => {
    const id = await logFilter();
    backend.reorganise(3, [[transfer(1)], [transfer(2)], [transfer(3)], [transfer(4)]]);
    expect(await poll(id)).toEqual([1, 2, 3, 4]);
  });

  it('requests missing logs from the backend by range, and continues from there', async () => {
    const id = await logFilter();
    for (let number = 1; number <= 300; number += 1) backend.mine([transfer(number)]);
    const told: number[][] = [];
    for (let polls = 0; polls < 5; polls += 1) told.push(await poll(id));
    expect(told.flat()).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
    expect(told.at(-1)).toEqual([]);
  });

  it('passes on the error for too many logs, and reports the same again later', async () => {
    const id = await logFilter();
    for (let number = 1; number <= 200; number += 1) backend.mine([transfer(number)]);
    backend.mostLogs = 5;
    await expect(filters.changes(id)).rejects.toEqual(expect.objectContaining({ code: -32005 }));
    await expect(filters.logs(await logFilter({ fromBlock: '0x0', toBlock: 'latest' }))).rejects.toEqual(
      expect.objectContaining({ code: -32005, message: expect.stringContaining('more than 5 results') }),
    );
    backend.mostLogs = 10_000;
    expect((await poll(id))[0]).toBe(1);
  });

  it('returns at most one block beyond 10,000 logs per poll', async () => {
    const id = await logFilter();
    backend.mostLogs = Infinity;
    const many = Array.from({ length: 6_000 }, () => transfer(1));
    for (let block = 0; block < 3; block += 1) backend.mine(many);
    expect((await poll(id)).length).toBe(12_000);
    expect((await poll(id)).length).toBe(6_000);
  });

  it('ends when the removed logs are no longer known', async () => {
    const id = await logFilter();
    backend.mine([transfer(1)]);
    for (let number = 2; number <= 150; number += 1) backend.mine([transfer(number)]);
    while ((await poll(id)).length > 0);
    backend.reorganise(150, [[transfer(1)]]);
    await expect(filters.changes(id)).rejects.toEqual(gone);
  });

  it('returns all logs of its range by eth_getFilterLogs, for log filters only', async () => {
    backend.mine([transfer(1), transfer(2, OTHER)]);
    const id = await logFilter({ fromBlock: '0x0', toBlock: 'latest', address: [TOKEN] });
    expect(await filters.logs(id)).toHaveLength(1);
    await expect(filters.logs(await filters.create(IP, { kind: 'blocks' }))).rejects.toEqual(gone);
  });

  it('reports each change in one of several concurrent polls', async () => {
    const id = await logFilter();
    backend.mine([transfer(1)]);
    const told = await Promise.all(Array.from({ length: 10 }, () => poll(id)));
    expect(told.flat()).toEqual([1]);
    const crowd = await Promise.allSettled(Array.from({ length: 50 }, () => poll(id)));
    expect(crowd.filter(({ status }) => status === 'rejected').length).toBe(34);
  });

  it('reports the same again after a failure', async () => {
    const id = await logFilter();
    backend.mine([transfer(1)]);
    backend.failures.set('eth_blockNumber', [new RpcError('RESOURCE_UNAVAILABLE')]);
    await expect(poll(id)).rejects.toEqual(expect.objectContaining({ code: -32002 }));
    expect(await poll(id)).toEqual([1]);
  });
});

describe('lifetime and bounds', () => {
  it('forgets a filter five minutes after its last poll', async () => {
    const [polled, left] = [await logFilter(), await filters.create(IP, { kind: 'blocks' })];
    now += 299_000;
    await filters.changes(polled);
    now += 1_000;
    await expect(filters.changes(left)).rejects.toEqual(gone);
    await filters.changes(polled);
    filters.sweep();
    expect(filters.count()).toBe(1);
    now += 300_000;
    filters.sweep();
    expect(filters.count()).toBe(0);
    expect(backend.listeners).toBe(0);
  });

  it('ends expired filters automatically', async () => {
    jest.useFakeTimers();
    try {
      build();
      await logFilter();
      now += 300_000;
      jest.advanceTimersByTime(30_000);
      expect(filters.count()).toBe(0);
      filters.close();
    } finally {
      jest.useRealTimers();
    }
  });

  it('uninstalls once', async () => {
    const id = await logFilter();
    expect(filters.uninstall(id)).toBe(true);
    expect(filters.uninstall(id)).toBe(false);
    await expect(filters.changes(id)).rejects.toEqual(gone);
    expect(backend.listeners).toBe(0);
  });

  it('allows 100 filters of a client, and does not count ended ones', async () => {
    const ids: Hex[] = [];
    for (let made = 0; made < 100; made += 1) ids.push(await filters.create(IP, { kind: 'blocks' }));
    await expect(logFilter()).rejects.toEqual(expect.objectContaining({ code: -32005 }));
    await expect(logFilter(LATEST, '192.0.2.2')).resolves.toMatch(/^0x[89a-f][0-9a-f]{31}$/);
    expect(new Set(ids).size).toBe(100);
    filters.uninstall(ids[0]!);
    await expect(logFilter()).resolves.toBeDefined();
    await expect(logFilter()).rejects.toThrow('too many filters of this client');
  });

  it('bounds all filters together, and all their addresses and topics', async () => {
    build({ filters: { each: 2, all: 3 }, filterTerms: { each: 2, all: 3 } });
    await logFilter({ ...LATEST, address: [TOKEN, OTHER] });
    await expect(logFilter({ ...LATEST, address: [TOKEN] })).rejects.toThrow('addresses and topics');
    await logFilter({ ...LATEST, topics: [[topic(1)]] }, 'b');
    await logFilter(LATEST, 'c');
    await expect(logFilter(LATEST, 'd')).rejects.toThrow('filters in all');
    expect(filters.count()).toBe(3);
  });

  it('releases everything when the backend fails', async () => {
    build({ filters: { each: 1, all: 1 } });
    backend.failures.set('eth_blockNumber', [new RpcError('RESOURCE_UNAVAILABLE')]);
    await expect(logFilter()).rejects.toEqual(expect.objectContaining({ code: -32002 }));
    expect(backend.listeners).toBe(0);
    await expect(logFilter()).resolves.toBeDefined();
  });
});
