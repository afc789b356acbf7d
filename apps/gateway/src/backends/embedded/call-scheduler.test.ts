import { describe, expect, it } from '@jest/globals';
import { CallScheduler, FairQueue } from './call-scheduler.js';

/** A queue with its own clock, and tasks that the test completes. */
function open(options: { maxRunning?: number; maxWaitingPerClient?: number } = {}) {
  const clock = { now: 0 };
  const queue = new FairQueue({
    maxRunning: 1,
    maxWaitingPerClient: 10,
    maxWaitMs: 100,
    now: () => clock.now,
    ...options,
  });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const run = (client: string, name: string) =>
    queue.run(client, async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const endOne = async () => {
    // A task starts only after the event loop turns.
    await new Promise(setImmediate);
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  return { clock, queue, started, run, endOne };
}

describe('FairQueue', () => {
  it('serves clients round-robin', async () => {
    const { started, run, endOne } = open();
    const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('c', 'c1'), run('b', 'b2')];
    for (let i = 0; i < all.length; i += 1) await endOne();
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('runs up to the maximum at a time, and continues after a failed task', async () => {
    const { queue, started, run, endOne } = open({ maxRunning: 2 });
    await expect(queue.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3')];
    await new Promise(setImmediate);
    expect(started).toEqual(['a1', 'a2']);
    for (let i = 0; i < all.length; i += 1) await endOne();
    expect(await Promise.all(all)).toHaveLength(3);
  });

  it('rejects only the client with too many waiting tasks', async () => {
    const { run, endOne } = open({ maxWaitingPerClient: 1 });
    const all = [run('a', 'a1'), run('a', 'a2')];
    await expect(run('a', 'a3')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    all.push(run('b', 'b1'));
    for (let i = 0; i < all.length; i += 1) await endOne();
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1']);
  });

  it('does not start a task that waited too long', async () => {
    const { clock, started, run, endOne } = open();
    const [first, late] = [run('a', 'a1'), run('a', 'a2')];
    const refusal = late.catch((error: unknown) => error);
    clock.now = 101;
    const fresh = run('a', 'a3');
    await endOne();
    expect(await refusal).toMatchObject({ code: 'UNAVAILABLE' });
    await endOne();
    expect(await Promise.all([first, fresh])).toEqual(['a1', 'a3']);
    expect(started).toEqual(['a1', 'a3']);
  });

  it('rejects waiting and later tasks once it is closed', async () => {
    const { queue, run, endOne } = open();
    const [first, waiting] = [run('a', 'a1'), run('a', 'a2')];
    queue.close();
    await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(run('b', 'b1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await endOne();
    expect(await first).toBe('a1');
  });
});

describe('CallScheduler', () => {
  it('lets other work run between two heavy calls of any clients', async () => {
    const scheduler = new CallScheduler();
    let isOver = false;
    let turns = 0;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const begun = await Promise.all(['a', 'a', 'b', 'c'].map((client) => scheduler.run('heavy', client, () => turns)));
    isOver = true;
    for (const [index, at] of begun.toSorted((a, b) => a - b).entries()) expect(at).toBeGreaterThanOrEqual(index);
  });

  it('runs one heavy call at a time, and cheap calls immediately', async () => {
    const scheduler = new CallScheduler();
    const heavy = Promise.withResolvers<void>();
    const order: string[] = [];
    const first = scheduler.run('heavy', 'a', () => heavy.promise.then(() => order.push('first')));
    const second = scheduler.run('heavy', 'b', () => order.push('second'));
    await scheduler.run('cheap', 'a', () => order.push('cheap'));
    heavy.resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(['cheap', 'first', 'second']);
  });

  it('rejects waiting calls once it is closed', async () => {
    const scheduler = new CallScheduler();
    const first = scheduler.run('heavy', 'a', () => 1);
    const second = scheduler.run('heavy', 'a', () => 2);
    scheduler.close();
    await expect(second).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await first).toBe(1);
  });
});
