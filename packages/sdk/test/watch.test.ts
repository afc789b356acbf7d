import { getEventListeners, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { BridgeOperationResponse } from '@causeway/protocol';
import type { Hex } from 'viem';
import { watchOperation, type BridgeOptions, type Page, type RetryEvent, type WatchOptions } from '../src/index.js';
import { makeAnswer, inTurn, refuse, startApi, type Answer, type ApiServer } from './api-server.js';

const TX: Hex = `0x${'ab'.repeat(32)}`;
const ID = makeAnswer<BridgeOperationResponse>('getStatus').id;
const operation = (status: string, changes: object = {}) =>
  makeAnswer<BridgeOperationResponse>('getStatus', { status, ...changes });
const unknown = refuse(404, { error: 'OPERATION_NOT_FOUND', message: 'No node knows this hash' });

let nextId = 0;
const frame = (data: object | string, name = 'operation') => {
  nextId += 1;
  return `event: ${name}\nid: ${nextId}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
};

/** A stream with some text. It stays open unless `end` closes it, or breaks it off. */
function stream(text: string, end?: (response: ServerResponse) => void): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(`retry: 1\n\n${text}`);
    if (end !== undefined) setImmediate(() => end(response));
  };
}
const close = (response: ServerResponse) => void response.end();
const breakOff = (response: ServerResponse) => void response.destroy();

let api: ApiServer | undefined;
afterEach(async () => api?.close());

/** An API with these statuses and streams, each list taken in turn. */
async function start(statuses: readonly Answer[], streams: readonly Answer[], options: Partial<BridgeOptions> = {}) {
  api = await startApi({ 'bridge/status': inTurn(...statuses), 'bridge/events': inTurn(...streams) }, options);
  return api;
}

async function watchToEnd({ bridge }: ApiServer, options: WatchOptions = {}): Promise<string[]> {
  const statuses: string[] = [];
  for await (const { status } of watchOperation(bridge, { originTxHash: TX }, { pollMs: 1, ...options }))
    statuses.push(status);
  return statuses;
}

const paths = ({ seen }: ApiServer) => seen.map(({ path }) => path.replace('bridge/', ''));

/** The document of a page that can be hidden. */
class TestPage extends EventTarget implements Page {
  visibilityState = 'visible';
  turn(visibilityState: 'visible' | 'hidden'): void {
    this.visibilityState = visibilityState;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

describe('an operation that is watched', () => {
  it('is one request when it is over already', async () => {
    for (const status of ['COMPLETED', 'FAILED', 'EXPIRED']) {
      const server = await start([operation(status)], []);
      expect(await watchToEnd(server)).toEqual([status]);
      expect(paths(server)).toEqual(['status']);
      await server.close();
    }
    api = undefined;
  });

  it('shows each change one time, from before the bridge knows it to its end', async () => {
    const [confirming, awaiting] = [operation('CONFIRMING'), operation('AWAITING_RELAY')];
    const text = [confirming, confirming, awaiting, operation('COMPLETED')].map((each) => frame(each)).join(':\n\n');
    const server = await start([unknown, confirming], [stream(text)]);
    expect(await watchToEnd(server)).toEqual(['CONFIRMING', 'AWAITING_RELAY', 'COMPLETED']);
    // The second look finds which operation of the transaction is meant.
    expect(paths(server)).toEqual(['status', 'events', 'status']);
    expect(server.seen[1]).toMatchObject({ query: { originTxHash: TX }, headers: { accept: 'text/event-stream' } });
  });

  it('does not end with a status that this package does not know', async () => {
    const server = await start(
      [operation('ON_THE_MOON')],
      [stream(frame(operation('BACK')) + frame(operation('FAILED')))],
    );
    expect(await watchToEnd(server)).toEqual(['ON_THE_MOON', 'BACK', 'FAILED']);
  });

  it('by its id is streamed by its id', async () => {
    const server = await start([operation('CONFIRMING')], [stream(frame(operation('COMPLETED')))]);
    for await (const { id } of watchOperation(server.bridge, { depositId: ID })) expect(id).toBe(ID);
    expect(server.seen.map(({ path, query }) => [path, query])).toEqual([
      ['bridge/status', { depositId: ID }],
      ['bridge/events', { id: ID }],
    ]);
  });

  it('is the one of its transaction that is meant, also when a reorg gave it another id', async () => {
    const id = `0x${'2'.repeat(64)}`;
    const other = operation('COMPLETED', { id: `0x${'9'.repeat(64)}` });
    const again = operation('AWAITING_RELAY', { id });
    const text = [other, again, operation('COMPLETED', { id })].map((each) => frame(each)).join('');
    const server = await start([operation('CONFIRMING'), operation('CONFIRMING'), again], [stream(text)]);
    const found: string[] = [];
    for await (const each of watchOperation(server.bridge, { originTxHash: TX, index: 1 }, { pollMs: 1 }))
      found.push(`${each.status} ${each.id}`);
    expect(found).toEqual([`CONFIRMING ${ID}`, `AWAITING_RELAY ${id}`, `COMPLETED ${id}`]);
    expect(server.seen.filter(({ path }) => path === 'bridge/status').map(({ query }) => query)).toEqual(
      Array.from({ length: 3 }, () => ({ originTxHash: TX, index: '1' })),
    );
  });
});

describe('a stream', () => {
  it('that arrives byte by byte is read', async () => {
    const text = frame(operation('DELAYED', { failureMessage: 'Zürich 🌉' })) + frame(operation('COMPLETED'));
    const server = await start(
      [operation('CONFIRMING')],
      [
        async (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          for (const byte of Buffer.from(text.replaceAll('\n', '\r\n'))) {
            response.write(Uint8Array.of(byte));
            await new Promise((resolve) => setImmediate(resolve));
          }
        },
      ],
    );
    const messages: unknown[] = [];
    for await (const each of watchOperation(server.bridge, { depositId: ID })) messages.push(each.failureMessage);
    expect(messages).toEqual([null, 'Zürich 🌉', null]);
  });

  it.each([
    ['closed', close],
    ['broken off', breakOff],
  ])('that is %s goes on after its last event or heartbeat', async (_, end) => {
    const server = await start(
      [operation('CONFIRMING')],
      [stream(`${frame(operation('AWAITING_RELAY'))}:\nid: 77\n\n`, end), stream(frame(operation('COMPLETED')))],
    );
    expect(await watchToEnd(server)).toEqual(['CONFIRMING', 'AWAITING_RELAY', 'COMPLETED']);
    expect(paths(server)).toEqual(['status', 'events', 'events']);
    expect(server.seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, undefined, '77']);
  });

  it('that says to read the history is followed by a look', async () => {
    const server = await start([operation('CONFIRMING'), operation('COMPLETED')], [stream(frame({}, 'resync'))]);
    expect(await watchToEnd(server)).toEqual(['CONFIRMING', 'COMPLETED']);
  });

  it.each<[string, Answer]>([
    ['refused', refuse(429, { error: 'RATE_LIMIT_EXCEEDED', message: 'close one' }, { 'retry-after': '60' })],
    ['not there', refuse(404, '<html></html>')],
    ['over', refuse(204, '')],
    ['another page', refuse(200, '<html></html>')],
    ['silent', (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()],
    ['without an answer', () => undefined],
    ['silent later', stream(frame(operation('CONFIRMING')))],
    ['malformed', stream(frame('{"id":'))],
    ['wrong', stream(frame({ status: 'COMPLETED' }))],
    ['cut off before it begins', breakOff],
  ])('that is %s is replaced by polls', async (_, answer) => {
    const statuses = [operation('CONFIRMING'), operation('CONFIRMING'), operation('DELAYED'), operation('COMPLETED')];
    const server = await start(statuses, [answer], { timeoutMs: 250 });
    expect(await watchToEnd(server)).toEqual(['CONFIRMING', 'DELAYED', 'COMPLETED']);
    expect(paths(server)).toEqual(['status', 'events', 'status', 'status', 'status']);
  });

  it('is tried again after some polls', async () => {
    const server = await start(
      [operation('CONFIRMING')],
      [refuse(503, { error: 'SERVICE_UNAVAILABLE', message: 'full' }), stream(frame(operation('COMPLETED')))],
    );
    expect(await watchToEnd(server)).toEqual(['CONFIRMING', 'COMPLETED']);
    expect(paths(server)).toEqual(['status', 'events', ...Array<string>(8).fill('status'), 'events']);
  });
});

describe('polls', () => {
  const noStream = refuse(404, '');
  const away = refuse(503, { error: 'SERVICE_UNAVAILABLE', message: 'later' }, { 'retry-after': '0' });

  it.each<[string, Answer]>([
    ['the API is away', away],
    ['a proxy refuses', refuse(502, '<html></html>')],
    ['the connection breaks', breakOff],
    ['a reorg removed the operation', unknown],
  ])('go on while %s, and report each failure and its end', async (_, failure) => {
    const server = await start(
      [failure, failure, operation('CONFIRMING'), failure, operation('COMPLETED')],
      [noStream],
    );
    const attempts: number[] = [];
    const onRetry = ({ attempt }: RetryEvent) => void attempts.push(attempt);
    const onAnswer = () => void attempts.push(0);
    expect(await watchToEnd(server, { onRetry, onAnswer })).toEqual(['CONFIRMING', 'COMPLETED']);
    // An unknown operation is an answer.
    expect(attempts).toEqual(failure === unknown ? [] : [1, 2, 0, 1, 0]);
  });

  it.each<[string, Answer, object]>([
    [
      'refused',
      refuse(400, { error: 'VALIDATION_ERROR', message: 'index must be a whole number' }),
      { field: 'index' },
    ],
    ['wrong', { ...operation('CONFIRMING'), amount: 12 }, { name: 'AnswerError', field: 'amount' }],
    ['not JSON', refuse(200, 'OK'), { name: 'AnswerError', field: 'answer' }],
  ])('end with the error of an answer that is %s', async (_, answer, error) => {
    const server = await start([operation('CONFIRMING'), answer], [noStream]);
    await expect(watchToEnd(server)).rejects.toMatchObject(error);
    expect(paths(server)).toEqual(['status', 'events', 'status']);
  });
});

describe('a hidden page', () => {
  it('closes its stream, asks nothing, and continues the stream with one request when it is shown', async () => {
    const page = new TestPage();
    let closed: Promise<unknown> | undefined;
    const server = await start(
      [operation('CONFIRMING')],
      [
        (response) => {
          closed = once(response, 'close');
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(frame(operation('AWAITING_RELAY')));
        },
        stream(frame(operation('COMPLETED'))),
      ],
    );
    const watched = watchOperation(server.bridge, { originTxHash: TX }, { page, pollMs: 1 });
    expect((await watched.next()).value).toMatchObject({ status: 'CONFIRMING' });
    expect((await watched.next()).value).toMatchObject({ status: 'AWAITING_RELAY' });
    const end = watched.next();
    page.turn('hidden');
    await closed;
    page.turn('hidden');
    await sleep(50);
    expect(paths(server)).toEqual(['status', 'events']);
    page.turn('visible');
    expect((await end).value).toMatchObject({ status: 'COMPLETED' });
    expect(paths(server)).toEqual(['status', 'events', 'events']);
    expect(server.seen[2]?.headers['last-event-id']).toBe(String(nextId));
    expect((await watched.next()).done).toBe(true);
  });

  it('polls one time when it is shown, and not before', async () => {
    const page = new TestPage();
    const server = await start([operation('CONFIRMING'), operation('COMPLETED')], [refuse(404, '')]);
    const watched = watchOperation(server.bridge, { originTxHash: TX }, { page, pollMs: 10 });
    await watched.next();
    const end = watched.next();
    page.turn('hidden');
    await sleep(100);
    expect(paths(server).filter((path) => path === 'status')).toHaveLength(1);
    page.turn('visible');
    expect((await end).value).toMatchObject({ status: 'COMPLETED' });
    expect(paths(server).filter((path) => path === 'status')).toHaveLength(2);
  });

  it('that is shown again does not wait for the rest of the time between two polls', async () => {
    const page = new TestPage();
    const server = await start([operation('CONFIRMING'), operation('COMPLETED')], [refuse(404, '')]);
    const watched = watchOperation(server.bridge, { originTxHash: TX }, { page, pollMs: 600_000 });
    await watched.next();
    const end = watched.next();
    while (paths(server).length < 2) await sleep(5);
    await sleep(50);
    page.turn('hidden');
    page.turn('visible');
    expect((await end).value).toMatchObject({ status: 'COMPLETED' });
  });
});

describe('a watch that ends early', () => {
  const reason = new Error('the user left');

  it.each<[string, readonly Answer[], readonly Answer[]]>([
    ['in a stream', [operation('CONFIRMING')], [stream(frame(operation('DELAYED')))]],
    ['before a stream answers', [operation('CONFIRMING')], [() => undefined]],
    ['in a request', [operation('CONFIRMING'), () => undefined], [refuse(404, '')]],
    ['between two polls', [operation('CONFIRMING'), unknown], [refuse(404, '')]],
    ['in the first request', [() => undefined], []],
  ])('by its signal %s throws the reason, and leaves nothing open', async (_, statuses, streams) => {
    const server = await start(statuses, streams);
    const controller = new AbortController();
    const { signal } = controller;
    const page = new TestPage();
    const outcome = watchToEnd(server, { signal, page, pollMs: 20 }).catch((error: unknown) => error);
    await sleep(100);
    controller.abort(reason);
    expect(await outcome).toBe(reason);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(getEventListeners(page, 'visibilitychange')).toEqual([]);
  });

  it('by leaving the loop closes the stream, and listens to nothing more', async () => {
    const page = new TestPage();
    const { signal } = new AbortController();
    let closed: Promise<unknown> | undefined;
    const server = await start(
      [operation('CONFIRMING')],
      [
        (response) => {
          closed = once(response, 'close');
          response.writeHead(200, { 'content-type': 'text/event-stream' }).write(frame(operation('DELAYED')));
        },
      ],
    );
    for await (const { status } of watchOperation(server.bridge, { originTxHash: TX }, { signal, page }))
      if (status === 'DELAYED') break;
    await closed;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(getEventListeners(page, 'visibilitychange')).toEqual([]);
  });
});
