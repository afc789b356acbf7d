import { describe, expect, it } from '@jest/globals';
import { formatCountdown, formatDuration, formatLocal, formatRelative, formatUtc } from './times.js';

describe('times', () => {
  it.each([
    [0.4, '0 s'],
    [59, '59 s'],
    [3_600, '1 h'],
    [7_500, '2 h 5 min'],
    [90_061, '1 d 1 h'],
    [-5, '0 s'],
  ])('a duration of %s s is %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });

  it.each([
    [1_000_000, 'now'],
    [995_000, '5 s ago'],
    [1_000_000 + 7_500_000, 'in 2 h'],
  ])('a time at %s is %s', (at, text) => {
    expect(formatRelative(at, 1_000_000)).toBe(text);
  });

  it.each([
    [899_001, '15:00'],
    [1, '00:01'],
    [-10, '00:00'],
    [3_661_000, '1:01:01'],
  ])('%s ms are left as %s', (left, text) => {
    expect(formatCountdown(1_000 + left, 1_000)).toBe(text);
  });

  it("are written in the reader's time zone and in UTC", () => {
    expect(formatLocal(new Date(2026, 0, 5, 3, 4, 9))).toMatch(/^2026-01-05 03:04:09 \S+$/);
    expect(formatUtc(new Date('2026-11-23T13:05:09.999Z'))).toBe('2026-11-23 13:05:09 UTC');
  });
});
