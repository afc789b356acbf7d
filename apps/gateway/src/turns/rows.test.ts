import { describe, expect, it } from '@jest/globals';
import { Rows } from './rows.js';

describe('Rows', () => {
  it('does a few short pieces of work in a row, each once and in order, and others have their turn in between', async () => {
    const clock = { now: 0 };
    const rows = new Rows(() => clock.now);
    await rows.run(() => undefined);
    const done: (number | 'other')[] = [];
    const work = Array.from({ length: 7 }, (_, index) =>
      rows.run(() => {
        clock.now += 2;
        done.push(index);
      }),
    );
    const other = () => {
      if (done.at(-1) !== 6) setImmediate(other);
      done.push('other');
    };
    setImmediate(other);
    await Promise.all(work);
    expect(done).toEqual([0, 1, 2, 'other', 3, 4, 5, 'other', 6]);
  });

  it('goes on after a piece that fails', async () => {
    const rows = new Rows();
    const failing = rows.run(() => {
      throw new Error('broken');
    });
    const next = rows.run(() => 'done');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });
});
