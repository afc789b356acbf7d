import { describe, expect, it } from '@jest/globals';
import { retirementDueAtMs } from './retire.js';

const at = (ms: number) => new Date(ms);

describe('retirementDueAtMs', () => {
  it.each([
    ['counts from the oldest completed withdrawal', at(5_000), null, 6_000],
    ['counts from the last failed retirement when that is later', at(5_000), at(9_000), 10_000],
    ['ignores a failed retirement before that', at(5_000), at(2_000), 6_000],
  ])('%s', (_, oldestSettledAt, lastFailedAt, expected) => {
    expect(retirementDueAtMs({ oldestSettledAt, lastFailedAt }, 1_000)).toBe(expected);
  });
});
