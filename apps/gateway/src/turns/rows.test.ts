import { describe, expect, it } from '@jest/globals';
import { Rows } from './rows.js';

describe('Rows', () => {
  it('does a few short pieces of work in a row, each once and in order, and others have their turn in between', async () => {
    const clock = { now: 0 };
    const rows = new Rows(() => clock.now);
    const done: (number | 'other')[] = [];
    const work = Array.from({ length: 7 }, async (_, index) => {
      await rows.join();
      clock.now += 2;
      done.push(index);
    });
    const other = async () => {
      while (done.filter((each) => each !== 'other').length < work.length) {
        await new Promise(setImmediate);
        done.push('other');
      }
    };
    await Promise.all([...work, other()]);
    expect(done).toEqual([0, 1, 2, 'other', 3, 4, 5, 'other', 6, 'other']);
  });

  it('makes nobody wait while a row lasts', async () => {
    const rows = new Rows(() => 0);
    await rows.join();
    let joined = 0;
    for (let piece = 0; piece < 3; piece += 1) void rows.join().then(() => (joined += 1));
    await Promise.resolve();
    expect(joined).toBe(3);
  });
});
