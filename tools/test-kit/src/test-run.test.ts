import { afterEach, describe, expect, it } from '@jest/globals';
import { seed, waitUntil } from './test-run.js';

const before = process.env['TEST_SEED'];
afterEach(() => {
  if (before === undefined) delete process.env['TEST_SEED'];
  else process.env['TEST_SEED'] = before;
});

describe('seed', () => {
  it('is TEST_SEED when that is set', () => {
    process.env['TEST_SEED'] = '42';
    expect(seed()).toBe(42);
  });

  it.each(['-1', '1.5', 'abc', '2147483648'])('refuses TEST_SEED=%s', (given) => {
    process.env['TEST_SEED'] = given;
    expect(() => seed()).toThrow(`TEST_SEED is "${given}"`);
  });
});

describe('waitUntil', () => {
  it('returns the first truthy result', async () => {
    const results = [0, null, undefined, 7, 8];
    expect(await waitUntil('there is a result', () => results.shift(), { intervalMs: 1 })).toBe(7);
  });

  it('treats a throwing check as not yet true', async () => {
    let calls = 0;
    const check = () => {
      calls += 1;
      if (calls < 3) throw new Error('not there');
      return true;
    };
    expect(await waitUntil('it does not throw', check, { intervalMs: 1 })).toBe(true);
  });

  it('reports the condition and the last error', async () => {
    const check = () => Promise.reject(new Error('no node'));
    const waiting = waitUntil('the node answers', check, { timeoutMs: 5, intervalMs: 1 });
    await expect(waiting).rejects.toMatchObject({
      message: 'Timed out after 0.005 s: waited until the node answers',
      cause: new Error('no node'),
    });
  });
});
