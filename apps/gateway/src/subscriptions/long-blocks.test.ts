import { beforeEach, describe, expect, it } from '@jest/globals';
import { pad, type Hex } from 'viem';
import { FakeConnection } from '../../test/setup/caller.js';
import { ScriptedBackend, type ScriptedLog } from '../../test/setup/scripted-backend.js';
import { BlockLogs } from './block-logs.js';
import { ClientBudget } from '../client-budget.js';
import { HeadFeed } from './head-feed.js';
import { readLogs } from './logs.js';
import { Subscriptions } from './subscriptions.js';

const TOKEN: Hex = '0x00000000000000000000000000000000000000aa';
const LONG = 2_000;

let backend: ScriptedBackend;
let subscriptions: Subscriptions;

const logsFrom = (first: number, count: number): ScriptedLog[] =>
  Array.from({ length: count }, (_, index) => ({
    address: TOKEN,
    topics: [pad(`0x${(first + index).toString(16)}`, { size: 32 })],
  }));
const open = (connection: FakeConnection): Hex =>
  subscriptions.open(connection, { kind: 'logs', query: {} }, Promise.resolve());
/** The numbers of the delivered logs; negative for removed logs. */
const told = (connection: FakeConnection, id?: Hex): number[] =>
  (connection.results(id) as { topics: Hex[]; removed: boolean }[]).map(
    ({ topics, removed }) => Number(topics[0]) * (removed ? -1 : 1),
  );
const upTo = (count: number, first = 1): number[] => Array.from({ length: count }, (_, index) => first + index);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}

beforeEach(async () => {
  backend = new ScriptedBackend(3);
  const feed = new HeadFeed(backend);
  const blockLogs = new BlockLogs(backend, feed, () => Promise.resolve());
  subscriptions = new Subscriptions({
    backend,
    feed,
    blockLogs,
    budget: new ClientBudget(),
    logger: { warn: () => undefined },
  });
  await Promise.resolve();
});

describe('a block with thousands of logs', () => {
  it('lets a fast reader empty its queue during the delivery', async () => {
    const connection = new FakeConnection();
    const send = connection.send.bind(connection);
    const unread = { now: 0, most: 0 };
    connection.send = (text) => {
      unread.now += 1;
      unread.most = Math.max(unread.most, unread.now);
      send(text);
    };
    const read = () => {
      unread.now = 0;
      if (connection.texts.length < LONG) setImmediate(read);
    };
    open(connection);
    await Promise.resolve();
    backend.mine(logsFrom(1, LONG));
    read();
    await until(() => connection.texts.length === LONG);
    expect(told(connection)).toEqual(upTo(LONG));
    expect(unread.most).toBeLessThan(600);
    connection.close();
  });

  it('stops for a client that unsubscribes during the delivery, and is complete for others', async () => {
    const connection = new FakeConnection();
    const [left, stayed] = [open(connection), open(connection)];
    await Promise.resolve();
    backend.mine(logsFrom(1, LONG));
    await until(() => connection.texts.length > 600);
    subscriptions.end(connection, left);
    const before = told(connection, left).length;
    await until(() => told(connection, stayed).length === LONG);
    expect(before).toBeLessThan(LONG);
    expect(told(connection, left)).toEqual(upTo(before));
    connection.close();
  });

  it('is not partly delivered to a client that subscribes during the delivery', async () => {
    const connection = new FakeConnection();
    const first = open(connection);
    await Promise.resolve();
    backend.mine(logsFrom(1, LONG));
    await until(() => connection.texts.length > 300);
    const second = open(connection);
    backend.mine(logsFrom(LONG + 1, 3));
    await until(() => told(connection, first).length === LONG + 3);
    expect(told(connection, first)).toEqual(upTo(LONG + 3));
    expect(told(connection, second)).toEqual(upTo(3, LONG + 1));
    connection.close();
  });

  it('is removed after its last log was delivered if a reorganisation happens during the delivery', async () => {
    const connection = new FakeConnection();
    open(connection);
    await Promise.resolve();
    backend.mine(logsFrom(1, LONG));
    await until(() => connection.texts.length > 300);
    backend.reorganise(1, [logsFrom(LONG + 1, 2)]);
    expect(connection.texts.length).toBeLessThan(LONG);
    await until(() => connection.texts.length === 2 * LONG + 2);
    expect(told(connection)).toEqual([
      ...upTo(LONG),
      ...upTo(LONG)
        .toReversed()
        .map((number) => -number),
      ...upTo(2, LONG + 1),
    ]);
    connection.close();
  });

  it('is read with pauses', async () => {
    const [log] = (await backend.request('eth_getLogs', [
      { blockHash: backend.mine(logsFrom(1, 1)).header.hash },
    ])) as object[];
    let isRead = false;
    let turns = 0;
    const count = () => {
      turns += 1;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);
    expect(await readLogs(Array.from({ length: LONG }, () => log))).toHaveLength(LONG);
    isRead = true;
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});
