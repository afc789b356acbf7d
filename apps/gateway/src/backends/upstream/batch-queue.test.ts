import { describe, expect, it } from '@jest/globals';
import { BatchQueue, type BatchQueueOptions } from './batch-queue.js';
import { NodeFailure } from './node-errors.js';
import type { NodeAnswer } from './read-answers.js';

const OPTIONS: BatchQueueOptions = {
  maxCalls: 10,
  preferredInFlight: 1,
  lingerMs: 20,
  maxInFlight: 3,
  maxWaiting: 100,
  maxWaitMs: 1_000,
  sharedLength: 4,
  clock: () => performance.now(),
};

/** A queue in front of a node that answers a batch when the test calls `answer`. */
function open(options: Partial<BatchQueueOptions> = {}) {
  const batches: { readonly calls: readonly string[]; readonly answer: () => void }[] = [];
  const send = (calls: readonly string[]) =>
    new Promise<readonly NodeAnswer[]>((resolve) => {
      const answer = () => resolve(calls.map((text) => ({ result: `answer to ${text}` })));
      batches.push({ calls, answer });
    });
  const queue = new BatchQueue({ ...OPTIONS, ...options }, send);
  return { queue, push: (text: string) => queue.push(text), batches };
}

/** A call whose answer the test ignores; the queue rejects it some time after the test. */
const forget = (answer: Promise<unknown>) => void answer.catch(() => undefined);
const turn = () => new Promise((resolve) => setImmediate(resolve));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('BatchQueue', () => {
  it('collects the calls of one turn of the event loop', async () => {
    const { push, batches } = open();
    const answers = Promise.all(['a', 'b', 'c'].map(push));
    expect(batches).toHaveLength(0);
    await turn();
    expect(batches.map(({ calls }) => calls)).toEqual([['a', 'b', 'c']]);
    batches[0]?.answer();
    expect(await answers).toEqual(['answer to a', 'answer to b', 'answer to c']);
  });

  it('merges equal queued calls, but not with calls already sent', async () => {
    const { push, batches } = open({ preferredInFlight: 2 });
    const early = [push('a'), push('a')];
    await turn();
    const late = push('a');
    await turn();
    expect(batches.map(({ calls }) => calls.length)).toEqual([1, 1]);
    for (const { answer } of batches) answer();
    expect(await Promise.all([...early, late])).toEqual(Array.from({ length: 3 }, () => 'answer to a'));
  });

  it('does not merge calls above the length, and none with the length 0', async () => {
    const { push, batches } = open();
    for (const text of ['four', 'four', 'fives', 'fives']) forget(push(text));
    await turn();
    expect(batches[0]?.calls).toEqual(['four', 'fives', 'fives']);
    const never = open({ sharedLength: 0 });
    for (const text of ['a', 'a']) forget(never.push(text));
    await turn();
    expect(never.batches[0]?.calls).toHaveLength(2);
  });

  it('keeps the order when one batch at a time is in flight', async () => {
    const { push, batches } = open({ maxInFlight: 1, maxWaitMs: 60_000 });
    for (let call = 0; call < 25; call++) forget(push(String(call)));
    await turn();
    await pause(40);
    expect(batches).toHaveLength(1);
    for (let batch = 0; batch < 3; batch++) {
      batches[batch]?.answer();
      await pause(5);
    }
    const order = batches.flatMap(({ calls }) => calls.map(Number));
    expect(order).toEqual(Array.from({ length: 25 }, (_, call) => call));
  });

  it('waits for the batch in flight, but not for long', async () => {
    const { push, batches } = open({ lingerMs: 500, maxWaitMs: 60_000 });
    forget(push('a'));
    await turn();
    forget(push('b'));
    await turn();
    expect(batches).toHaveLength(1);
    for (let round = 0; round < 500 && batches.length < 2; round++) await pause(20);
    expect(batches).toHaveLength(2);
  });

  it('sends a full batch immediately, within the limit of batches', async () => {
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

  it('rejects calls above the limit, and calls that waited too long', async () => {
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

  it('rejects all unsent calls when it is cleared', async () => {
    const { queue, push, batches } = open();
    const answer = push('a');
    queue.clear(new NodeFailure('overloaded', 'closed'));
    await expect(answer).rejects.toThrow('closed');
    await turn();
    expect(batches).toHaveLength(0);
  });

  it('rejects only the call that failed, and all calls of a request that failed', async () => {
    const failure = new NodeFailure('malformed', 'left a call of a batch out');
    const queue = new BatchQueue(OPTIONS, (texts) =>
      texts.includes('broken')
        ? Promise.reject(new NodeFailure('broken', 'connection broke'))
        : Promise.resolve(texts.map((text) => (text === 'bad' ? failure : { result: text }))),
    );
    expect(await Promise.allSettled(['a', 'bad', 'b'].map((text) => queue.push(text)))).toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason: failure },
      { status: 'fulfilled', value: 'b' },
    ]);
    const outcomes = await Promise.allSettled(['a', 'broken'].map((text) => queue.push(text)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
