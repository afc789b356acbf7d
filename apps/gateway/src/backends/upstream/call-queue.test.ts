import { describe, expect, it } from '@jest/globals';
import { CallQueue, type CallQueueOptions } from './call-queue.js';
import { NodeFailure } from './node-failure.js';
import type { WireCall } from './wire-call.js';

const OPTIONS: CallQueueOptions = {
  maxCalls: 10,
  easyInFlight: 1,
  easyWaitMs: 20,
  maxInFlight: 3,
  maxWaiting: 100,
  maxWaitMs: 1_000,
  sharedLength: 4,
  clock: () => performance.now(),
};

/** A node that answers when the test says so. */
function open(options: Partial<CallQueueOptions> = {}) {
  const batches: { readonly calls: readonly WireCall[]; readonly answer: () => void }[] = [];
  const deliver = (calls: readonly WireCall[]) =>
    new Promise<void>((resolve) => {
      const answer = () => {
        for (const call of calls) call.resolve(`answer to ${call.text}`);
        resolve();
      };
      batches.push({ calls, answer });
    });
  const queue = new CallQueue({ ...OPTIONS, ...options }, deliver);
  const push = (text: string) => new Promise((resolve, reject) => queue.push(text, { resolve, reject }));
  return { queue, push, batches };
}

/** A call whose answer is not what the test is about; the queue refuses it some time after the test. */
const forget = (answer: Promise<unknown>) => void answer.catch(() => undefined);
const turn = () => new Promise((resolve) => setImmediate(resolve));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('CallQueue', () => {
  it('gathers the calls of one turn', async () => {
    const { push, batches } = open();
    const answers = Promise.all(['a', 'b', 'c'].map(push));
    expect(batches).toHaveLength(0);
    await turn();
    expect(batches.map(({ calls }) => calls.map(({ text }) => text))).toEqual([['a', 'b', 'c']]);
    batches[0]?.answer();
    expect(await answers).toEqual(['answer to a', 'answer to b', 'answer to c']);
  });

  it('makes one of equal calls, but never lets one join what was sent before it', async () => {
    const { push, batches } = open({ easyInFlight: 2 });
    const early = [push('a'), push('a')];
    await turn();
    const late = push('a');
    await turn();
    expect(batches.map(({ calls }) => calls.length)).toEqual([1, 1]);
    for (const { answer } of batches) answer();
    expect(await Promise.all([...early, late])).toEqual(Array.from({ length: 3 }, () => 'answer to a'));
  });

  it('shares nothing that is longer than it may be, and nothing at all when told so', async () => {
    const { push, batches } = open();
    for (const text of ['four', 'four', 'fives', 'fives']) forget(push(text));
    await turn();
    expect(batches[0]?.calls.map(({ text }) => text)).toEqual(['four', 'fives', 'fives']);
    const never = open({ sharedLength: 0 });
    for (const text of ['a', 'a']) forget(never.push(text));
    await turn();
    expect(never.batches[0]?.calls).toHaveLength(2);
  });

  it('keeps the order where there is one batch at a time', async () => {
    const { push, batches } = open({ maxInFlight: 1, maxWaitMs: 60_000 });
    for (let call = 0; call < 25; call++) forget(push(String(call)));
    await turn();
    await pause(40);
    expect(batches).toHaveLength(1);
    for (let batch = 0; batch < 3; batch++) {
      batches[batch]?.answer();
      await pause(5);
    }
    const order = batches.flatMap(({ calls }) => calls.map(({ text }) => Number(text)));
    expect(order).toEqual(Array.from({ length: 25 }, (_, call) => call));
  });

  it('waits for what is under way, though not for long', async () => {
    const { push, batches } = open({ easyWaitMs: 500, maxWaitMs: 60_000 });
    forget(push('a'));
    await turn();
    forget(push('b'));
    await turn();
    expect(batches).toHaveLength(1);
    for (let round = 0; round < 500 && batches.length < 2; round++) await pause(20);
    expect(batches).toHaveLength(2);
  });

  it('sends a full batch at once, within the limit of batches', async () => {
    const { push, batches } = open();
    for (let call = 0; call < 60; call++) forget(push(String(call)));
    await turn();
    expect(batches.map(({ calls }) => calls.length)).toEqual([10, 10, 10]);
    await pause(40);
    expect(batches).toHaveLength(3);
    batches[0]?.answer();
    await pause(40);
    expect(batches).toHaveLength(4);
  });

  it('refuses what is too much, and what waited too long', async () => {
    const { push, batches } = open({ maxWaiting: 2, maxWaitMs: 30, maxInFlight: 1 });
    forget(push('a'));
    await turn();
    const waiting = [push('b'), push('c')];
    const settled = Promise.allSettled(waiting);
    await expect(push('d')).rejects.toMatchObject({ kind: 'overloaded' });
    await pause(60);
    batches[0]?.answer();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(batches).toHaveLength(1);
  });

  it('gives everything up that was not sent', async () => {
    const { queue, push, batches } = open();
    const answer = push('a');
    queue.clear(new NodeFailure('overloaded', 'closed'));
    await expect(answer).rejects.toThrow('closed');
    await turn();
    expect(batches).toHaveLength(0);
  });
});
