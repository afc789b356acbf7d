import { describe, expect, it } from '@jest/globals';
import { StageRunner } from './stage-runner.js';

const settled = async () => {
  for (let turn = 0; turn < 1_000; turn += 1) await Promise.resolve();
};

/** A runner whose runs end when the test says so, or immediately with `results`. */
function scripted(results: readonly (boolean | Error)[] = []) {
  const queue = [...results];
  const seen = { active: 0, mostActive: 0, wrote: 0, failures: [] as unknown[], bounded: 0 };
  const open: ((result: boolean) => void)[] = [];
  let now = 0;
  const runner = new StageRunner({
    run: async () => {
      seen.active += 1;
      seen.mostActive = Math.max(seen.mostActive, seen.active);
      try {
        const result = queue.shift() ?? (await new Promise<boolean>((resolve) => open.push(resolve)));
        if (result instanceof Error) throw result;
        return result;
      } finally {
        seen.active -= 1;
      }
    },
    onWrote: () => (seen.wrote += 1),
    onFailure: (error) => seen.failures.push(error),
    onBounded: () => (seen.bounded += 1),
    now: () => (now += 5),
  });
  const end = async (result: boolean) => {
    open.shift()?.(result);
    await settled();
  };
  return { runner, seen, end, waiting: () => open.length };
}

describe('a stage runner', () => {
  it('runs once at a time: any number of wakes during a run cause one more run', async () => {
    const { runner, seen, end, waiting } = scripted();
    for (let wake = 0; wake < 5; wake += 1) runner.wake();
    expect(waiting()).toBe(1);
    for (let wake = 0; wake < 5; wake += 1) runner.wake();
    await end(false);
    expect(waiting()).toBe(1);
    await end(false);
    expect(waiting()).toBe(0);
    expect(runner.status().runs).toBe(2);
    expect(seen.mostActive).toBe(1);
  });

  it('repeats a run that wrote, until a run writes nothing', async () => {
    const { runner, seen } = scripted([true, true, false]);
    runner.wake();
    await settled();
    expect(runner.status().runs).toBe(3);
    expect(seen.wrote).toBe(2);
  });

  it('does not repeat a failed run before the next wake', async () => {
    const { runner, seen } = scripted([new Error('no node answers'), false]);
    runner.wake();
    await settled();
    expect(runner.status()).toMatchObject({ runs: 1, failures: 1 });
    expect(seen.failures).toEqual([new Error('no node answers')]);
    runner.wake();
    await settled();
    expect(runner.status()).toMatchObject({ runs: 2, failures: 1, startedAtMs: 15, durationMs: 5 });
  });

  it('skips a tick after a wake that left no work, but not after a failed one', async () => {
    const { runner } = scripted([false, false, new Error('no node answers'), false]);
    const runsAfter = async (act: () => void) => {
      act();
      await settled();
      return runner.status().runs;
    };
    expect(await runsAfter(() => runner.wake())).toBe(1);
    expect(await runsAfter(() => runner.tick())).toBe(1);
    expect(await runsAfter(() => runner.tick())).toBe(2);
    expect(await runsAfter(() => runner.wake())).toBe(3);
    expect(await runsAfter(() => runner.tick())).toBe(4);
  });

  it('runs at each tick when nothing else wakes it', async () => {
    const { runner } = scripted([false, false, false]);
    for (let tick = 1; tick <= 3; tick += 1) {
      runner.tick();
      await settled();
      expect(runner.status().runs).toBe(tick);
    }
  });

  it('slows down a stage that writes endlessly, reports it once, and still reacts to other wakes', async () => {
    const { runner, seen } = scripted(Array.from({ length: 1_000 }, () => true));
    runner.tick();
    await settled();
    expect(runner.status().runs).toBe(101);
    runner.wake();
    await settled();
    expect(runner.status().runs).toBe(102);
    runner.tick();
    await settled();
    expect(runner.status().runs).toBe(203);
    expect(seen.bounded).toBe(1);
  });

  it('finishes the current run when it stops, and starts no other', async () => {
    const { runner, end, waiting } = scripted();
    runner.wake();
    runner.wake();
    const stopped = runner.stop();
    await end(true);
    await stopped;
    runner.wake();
    runner.tick();
    expect(waiting()).toBe(0);
    expect(runner.status().runs).toBe(1);
  });
});
