import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Dispatcher } from './dispatcher.js';
import { RpcError } from './errors.js';
import type { Method } from './method.js';

const method = (name: string, run: Method['run']): [string, Method] => [
  name,
  { name, summary: name, params: [], result: { name: 'result', schema: z.unknown() }, run },
];
const call = (name: string, id: number) => `{"jsonrpc":"2.0","id":${id},"method":"${name}"}`;

/** A dispatcher with its recorded counts and log. */
function open(methods: readonly [string, Method][], batchAnswerLimit = 1_000) {
  const ended: (readonly [method: string, code: number])[] = [];
  const logged: object[] = [];
  const dispatcher = new Dispatcher({
    methods: new Map(methods),
    batchLimit: 10,
    batchAnswerLimit,
    callTimeoutMs: 20,
    observer: { callEnded: (name, code) => ended.push([name, code]), batchReceived: () => undefined },
    logger: { error: (details) => logged.push(details) },
    now: () => performance.now(),
  });
  const ask = async (message: string) =>
    JSON.parse((await dispatcher.dispatch(message, { ip: '192.0.2.1', connection: null })) ?? 'null');
  return { ask, dispatcher, ended, logged };
}

describe('Dispatcher', () => {
  it('answers late calls with -32002, and the rest of the batch with results', async () => {
    const late = Promise.withResolvers<unknown>();
    const { ask, ended, logged } = open([method('slow', () => late.promise), method('quick', async () => 'done')]);
    const answers = await ask(`[${call('quick', 1)},${call('slow', 2)},${call('quick', 3)}]`);
    expect(answers).toMatchObject([
      { id: 1, result: 'done' },
      { id: 2, error: { code: -32002, message: 'Resource unavailable: no answer within 0.02 s; try again later' } },
      { id: 3, result: 'done' },
    ]);
    late.reject(new Error('too late'));
    await expect(late.promise).rejects.toThrow('too late');
    expect(ended).toEqual([
      ['quick', 0],
      ['quick', 0],
      ['slow', -32002],
    ]);
    expect(logged).toEqual([]);
  });

  it("passes unchecked params to a method with its own answer, and returns that answer's text unchanged", async () => {
    const [name, whole] = method('whole', () => Promise.reject(new Error('it runs elsewhere')));
    const answer = async (params: unknown) => `[${JSON.stringify(params)}, 1.0]`;
    const { dispatcher } = open([[name, { ...whole, answer }]]);
    const message = '{"jsonrpc":"2.0","id":1,"method":"whole","params":{"wrong":1}}';
    const text = await dispatcher.dispatch(message, { ip: '192.0.2.1', connection: null });
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":[{"wrong":1}, 1.0]}');
  });

  it('logs an Error when a method throws something else', async () => {
    // eslint-disable-next-line prefer-promise-reject-errors
    const { ask, logged } = open([method('broken', () => Promise.reject('text'))]);
    expect(await ask(call('broken', 1))).toMatchObject({ id: 1, error: { code: -32603 } });
    expect(logged).toEqual([{ method: 'broken', err: expect.any(Error) }]);
    expect(logged).toMatchObject([{ err: { cause: 'text' } }]);
  });

  it('limits the responses of a batch in the order of their arrival, but not the response of a single call', async () => {
    const text = 'x'.repeat(60);
    const first = Promise.withResolvers<string>();
    const { ask } = open([method('first', () => first.promise), method('second', async () => text)], 150);
    const batch = ask(`[${call('first', 1)},${call('second', 2)}]`);
    setImmediate(() => first.resolve(text));
    expect(await batch).toMatchObject([
      { id: 1, error: { code: -32005 } },
      { id: 2, result: text },
    ]);
    const { ask: askAlone } = open([method('second', async () => text)], 10);
    expect(await askAlone(call('second', 1))).toMatchObject({ result: text });
  });

  it('runs the admitted calls of a batch, and none during shutdown', async () => {
    const ran: number[] = [];
    const { ask, dispatcher, ended } = open([
      method('count', async () => ran.push(1)),
      method('refused', () => Promise.reject(new RpcError('RESOURCE_NOT_FOUND'))),
    ]);
    const context = { ip: '192.0.2.1', connection: null };
    const batch = `[${call('refused', 1)},${call('count', 2)},${call('count', 3)}]`;
    const limited = await dispatcher.dispatch(batch, context, () => ({ admitted: 2, refusal: 'later' }));
    expect(JSON.parse(limited ?? '')).toMatchObject([
      { id: 1, error: { code: -32001 } },
      { id: 2, result: 1 },
      { id: 3, error: { code: -32005, message: 'Rate limit exceeded: later' } },
    ]);
    expect(ended).toEqual(
      expect.arrayContaining([
        ['refused', -32001],
        ['count', 0],
        ['count', -32005],
      ]),
    );
    await dispatcher.close(1_000);
    expect(await ask(call('count', 1))).toMatchObject({ error: { code: -32002 } });
    expect(ran).toHaveLength(1);
  });
});
