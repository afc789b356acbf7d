import { describe, expect, it } from '@jest/globals';
import { FairQueue } from './fair-queue.js';

/** A queue on a clock of its own, and tasks that end when they are told to. */
function open(options: { running?: number; waitingEach?: number } = {}) {
  const clock = { now: 0 };
  const queue = new FairQueue({ running: 1, waitingEach: 10, patienceMs: 100, now: () => clock.now, ...options });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const run = (caller: string, name: string) =>
    queue.run(caller, async () => {
      started.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const endOne = async () => {
    // A task begins a moment after its turn has come.
    await new Promise(setImmediate);
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  return { clock, queue, started, run, endOne };
}

describe('FairQueue', () => {
  it('lets callers take turns, whoever asked for more', async () => {
    const { started, run, endOne } = open();
    const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('c', 'c1'), run('b', 'b2')];
    for (let i = 0; i < all.length; i += 1) await endOne();
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('runs as many at a time as it may, and goes on after one that failed', async () => {
    const { queue, started, run, endOne } = open({ running: 2 });
    await expect(queue.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3')];
    await new Promise(setImmediate);
    expect(started).toEqual(['a1', 'a2']);
    for (let i = 0; i < all.length; i += 1) await endOne();
    expect(await Promise.all(all)).toHaveLength(3);
  });

  it('refuses a caller who has too much waiting, and nobody else', async () => {
    const { run, endOne } = open({ waitingEach: 1 });
    const all = [run('a', 'a1'), run('a', 'a2')];
    await expect(run('a', 'a3')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    all.push(run('b', 'b1'));
    for (let i = 0; i < all.length; i += 1) await endOne();
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1']);
  });

  it('does not begin what has waited too long', async () => {
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

  it('refuses what waits and what comes once it is closed', async () => {
    const { queue, run, endOne } = open();
    const [first, waiting] = [run('a', 'a1'), run('a', 'a2')];
    queue.close();
    await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(run('b', 'b1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await endOne();
    expect(await first).toBe('a1');
  });
});
