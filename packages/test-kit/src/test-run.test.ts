import { afterEach, describe, expect, it } from '@jest/globals';
import { seed } from './test-run.js';

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
