import { describe, expect, it } from '@jest/globals';
import { progressLine, ProgressPrinter } from './progress.js';

describe('progressLine', () => {
  it.each([
    [{ done: 0, total: 100, doneBefore: 0, elapsedMs: 0 }, 'blocks: 0 of 100 (0 %)'],
    [{ done: 50, total: 100, doneBefore: 0, elapsedMs: 10_000 }, 'blocks: 50 of 100 (50 %), 5.0 a second, 10 s left'],
    // The rate covers only this run.
    [
      { done: 6_000, total: 12_000, doneBefore: 5_000, elapsedMs: 50_000 },
      'blocks: 6000 of 12000 (50 %), 20 a second, 5 min left',
    ],
    [
      { done: 10, total: 100_010, doneBefore: 0, elapsedMs: 1_000 },
      'blocks: 10 of 100010 (0 %), 10 a second, 2.8 h left',
    ],
    [{ done: 100, total: 100, doneBefore: 0, elapsedMs: 1_000 }, 'blocks: 100 of 100 (100 %)'],
    [{ done: 0, total: 0, doneBefore: 0, elapsedMs: 0 }, 'blocks: 0 of 0 (100 %)'],
  ])('%o', (progress, line) => {
    expect(progressLine('blocks', progress)).toBe(line);
  });
});

describe('ProgressPrinter', () => {
  it('prints each work at most every two seconds, and its end', () => {
    const lines: string[] = [];
    let nowMs = 0;
    const printer = new ProgressPrinter(
      (line) => lines.push(line),
      () => nowMs,
    );
    for (let done = 0; done <= 5; done++) {
      printer.show('a', done, 5);
      nowMs += 1_000;
    }
    printer.show('b', 1, 2);
    expect(lines.map((line) => line.slice(0, 6))).toEqual(['a: 0 o', 'a: 2 o', 'a: 4 o', 'a: 5 o', 'b: 1 o']);
  });
});
