import { afterEach, describe, expect, it } from '@jest/globals';
import { seed, withSeed } from './test-run.js';

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
    expect(() => seed()).toThrow(`but it is "${given}"`);
  });
});

describe('withSeed', () => {
  it('returns the result of the test', async () => {
    process.env['TEST_SEED'] = '7';
    expect(await withSeed((chosen) => chosen + 1)).toBe(8);
  });

  it('names the seed when the test fails', async () => {
    process.env['TEST_SEED'] = '7';
    const failing = withSeed(() => Promise.reject(new Error('3 is not 4')));
    await expect(failing).rejects.toThrow('3 is not 4\n\nRepeat this run with TEST_SEED=7');
  });
});
