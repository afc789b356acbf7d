import { describe, expect, it } from '@jest/globals';
import { dueAt } from './due-at.js';

const at = (ms: number) => new Date(ms);

describe('dueAt', () => {
  it.each([
    ['counts from the oldest that was completed', at(5_000), null, 6_000],
    ['counts from the last that failed, when that is later', at(5_000), at(9_000), 10_000],
    ['does not go back for one that failed before', at(5_000), at(2_000), 6_000],
  ])('%s', (_, oldestSettledAt, lastFailedAt, expected) => {
    expect(dueAt({ oldestSettledAt, lastFailedAt }, 1_000)).toBe(expected);
  });
});
