import { describe, expect, it } from '@jest/globals';
import type { Retained } from '@causeway/store';
import { RetentionStage } from './retention.js';
import type { RetentionSettings } from '../retention-variables.js';

const DAY_MS = 86_400_000;
const FENCE = { name: 'relayer', token: 1n, holder: 'test' } as never;
const FOR_EVER: RetentionSettings = {
  rawTransactions: null,
  journal: null,
  notifications: null,
  requests: null,
  verdicts: null,
  audit: null,
};

/** A stage at a time, whose store removes these numbers of rows, then none. */
function makeStage(retention: Partial<RetentionSettings>, removed: number[]) {
  const calls: [Retained, Date][] = [];
  const clock = { time: 100 * DAY_MS, now: () => clock.time };
  const remove = async (_: unknown, kind: Retained, before: Date) => {
    calls.push([kind, before]);
    return removed.shift() ?? 0;
  };
  const configuration = { retention: { ...FOR_EVER, ...retention } };
  return { calls, clock, stage: new RetentionStage({ retention: { remove } as never }, configuration, clock) };
}

describe('RetentionStage', () => {
  it('removes only the kinds that have a setting, each by its own', async () => {
    const { calls, stage } = makeStage({ journal: 90, notifications: 30 }, []);
    await stage.run(FENCE);
    expect(calls).toEqual([
      ['journal', new Date(10 * DAY_MS)],
      ['notifications', new Date(70 * DAY_MS)],
    ]);
  });

  it('removes a batch in each run, then pauses for an hour', async () => {
    const { calls, clock, stage } = makeStage({ audit: 30 }, [500, 20]);
    for (let run = 0; run < 5; run += 1) await stage.run(FENCE);
    expect(calls).toHaveLength(3);
    clock.time += DAY_MS / 24;
    await stage.run(FENCE);
    expect(calls).toHaveLength(4);
  });
});
