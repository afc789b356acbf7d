import { describe, expect, it } from '@jest/globals';
import { toHex } from 'viem';
import type { RpcHeader } from '../backend.js';
import { ClockComparison } from './clock-comparison.js';

const header = (number: number, seconds: number) =>
  ({ number: toHex(number), timestamp: toHex(seconds) }) as unknown as RpcHeader;

describe('ClockComparison', () => {
  it('uses the block that arrived soonest, and is unknown before the second', () => {
    let nowMs = 0;
    const clock = new ClockComparison(() => nowMs);
    clock.see(header(7, 100));
    expect(clock.offsetMs()).toBeNull();
    for (const [height, delayMs] of [
      [8, 900],
      [9, 300],
      [10, 1_500],
    ] as const) {
      nowMs = 1_000 * (100 + 2 * height) + delayMs;
      clock.see(header(height, 100 + 2 * height));
    }
    expect(clock.offsetMs()).toBe(300);
  });

  it('is negative for a slow clock, and ignores blocks after a gap and repeated blocks', () => {
    let nowMs = 200_000;
    const clock = new ClockComparison(() => nowMs);
    clock.see(header(7, 190));
    clock.see(header(8, 208));
    expect(clock.offsetMs()).toBe(-8_000);
    nowMs = 900_000;
    clock.see(header(8, 208));
    clock.see(header(300, 950));
    expect(clock.offsetMs()).toBe(-8_000);
  });

  it('forgets old blocks', () => {
    let nowMs = 0;
    const clock = new ClockComparison(() => nowMs);
    for (let height = 0; height <= 40; height += 1) {
      nowMs = 1_000 * height + (height < 20 ? 0 : 40_000);
      clock.see(header(height, height));
    }
    expect(clock.offsetMs()).toBe(40_000);
  });
});
