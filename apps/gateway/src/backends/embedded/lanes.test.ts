import { describe, expect, it } from '@jest/globals';
import { Lanes } from './lanes.js';

describe('the heavy lane', () => {
  it('gives everything else several turns between two calls, whoever asks', async () => {
    const lanes = new Lanes();
    let isOver = false;
    let turns = 0;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const begun = await Promise.all(['a', 'a', 'b', 'c'].map((caller) => lanes.run('heavy', caller, () => turns)));
    isOver = true;
    for (const [index, at] of begun.toSorted((a, b) => a - b).entries()) expect(at).toBeGreaterThanOrEqual(16 * index);
  });

  it('carries one call out at a time, and others at once', async () => {
    const lanes = new Lanes();
    const heavy = Promise.withResolvers<void>();
    const order: string[] = [];
    const first = lanes.run('heavy', 'a', () => heavy.promise.then(() => order.push('first')));
    const second = lanes.run('heavy', 'b', () => order.push('second'));
    await lanes.run('none', 'a', () => order.push('cheap'));
    heavy.resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(['cheap', 'first', 'second']);
  });

  it('refuses what waits once it is closed', async () => {
    const lanes = new Lanes();
    const first = lanes.run('heavy', 'a', () => 1);
    const second = lanes.run('heavy', 'a', () => 2);
    lanes.close();
    await expect(second).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await first).toBe(1);
  });
});
