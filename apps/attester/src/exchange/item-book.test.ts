import { describe, expect, it } from '@jest/globals';
import type { AttestItem } from '@causeway/protocol/attest';
import { ItemBook, MOST_ITEMS } from './item-book.js';
import { isDue, planNotYet, planRefused } from './schedule.js';

const NONE = { ethereum: null, partner: null };
const item = (number: number) => ({ kind: 'MINT', id: `0x${number.toString(16).padStart(64, '0')}` }) as AttestItem;

describe('the schedule', () => {
  it('rejudges at the time that a verdict names, within bounds', () => {
    expect(planNotYet({ time: 10 }, 4_000)).toEqual({ atMs: 10_000 });
    expect(planNotYet({ time: 1 }, 4_000)).toEqual({ atMs: 4_500 });
    expect(planNotYet({ time: 10_000 }, 4_000)).toEqual({ atMs: 604_000 });
  });

  it('rejudges when a block is final, and after a pause when nodes lack the state', () => {
    const due = planNotYet({ chain: 'partner', block: 7n }, 0);
    expect(isDue(due, 999, { ...NONE, partner: 7n })).toBe(false);
    expect(isDue(due, 1_000, NONE)).toBe(false);
    expect(isDue(due, 1_000, { ...NONE, partner: 6n })).toBe(false);
    expect(isDue(due, 1_000, { ...NONE, partner: 7n })).toBe(true);
    expect(planNotYet('STATE_GONE', 0)).toEqual(planRefused(0));
  });
});

describe('ItemBook', () => {
  it('hands out each item once, and a verdict once until it changes', () => {
    const book = new ItemBook();
    for (const number of [1, 2, 3]) book.show(item(number), 'FINAL', number);
    const [first, second] = book.takeDue(2, 5, NONE);
    expect(book.takeDue(9, 5, NONE)).toHaveLength(1);
    expect(book.takeDue(9, 5, NONE)).toEqual([]);
    book.conclude(first!, { kind: 'SIGN' }, null);
    expect(book.unsent(9)).toEqual([first]);
    first!.isSent = true;
    book.correct(item(1).id, { kind: 'SIGN' }, { atMs: 9 });
    expect(book.unsent(9)).toEqual([]);
    book.correct(item(1).id, { kind: 'NOT_YET', why: 'The hold runs.' }, { atMs: 9 });
    expect(book.unsent(9)).toEqual([first]);
    // The item was shown again, so the verdict is outdated.
    book.show(item(2), 'FINAL', 6);
    book.conclude(second!, { kind: 'SIGN' }, null);
    expect(book.unsent(9)).toEqual([first]);
    book.forget([item(1).id]);
    expect([book.size, book.find([item(1).id, item(3).id]).size]).toEqual([2, 1]);
  });

  it('holds a bounded number of items, and accepts a known one again', () => {
    const book = new ItemBook();
    for (let number = 0; number < MOST_ITEMS; number += 1) book.show(item(number), 'ACCEPTED', 0);
    expect(book.show(item(MOST_ITEMS), 'ACCEPTED', 0)).toBe(false);
    expect(book.show(item(5), 'FINAL', 0)).toBe(true);
    expect(book.size).toBe(MOST_ITEMS);
  });
});
