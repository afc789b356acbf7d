import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Acceptance } from '@causeway/verifier';
import type { Address, Hex } from 'viem';
import { AcceptanceCache } from './acceptance-cache.js';

const KEPT_SECONDS = 88_200n;
const hash = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const [ann, bob] = ['a', 'b'].map((digit): Address => `0x${digit.repeat(40)}`) as [Address, Address];
const accepted = (id: number, timestamp = BigInt(id)): Acceptance => ({
  intentId: hash(id),
  signatureHash: hash(8),
  blockNumber: 5n,
  blockHash: hash(6),
  timestamp,
  fee: 2n ** 255n,
});

const folders: string[] = [];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attester-acceptances-'));
  folders.push(folder);
});
afterAll(() => folders.forEach((each) => rmSync(each, { recursive: true })));

describe('the cache of acceptances', () => {
  const list = (cache: AcceptanceCache, most = 9) =>
    Array.from({ length: most }, (_, id) => id).filter((id) => cache.find(hash(id)) !== null);

  it('keeps the newest judgement of each intent across a restart', () => {
    const first = AcceptanceCache.open(folder);
    for (const each of [accepted(1), accepted(2), { ...accepted(1), blockHash: hash(7) }]) first.keep(ann, each);
    first.close();
    const next = AcceptanceCache.open(folder);
    expect([next.find(hash(1)), next.find(hash(3))]).toEqual([{ ...accepted(1), blockHash: hash(7) }, null]);
    next.close();
  });

  it('drops the oldest unpaid judgement of the sender with the most when full, and paid ones last', () => {
    const cache = AcceptanceCache.open(folder, 4);
    cache.keep(bob, accepted(1));
    for (const id of [2, 3, 4]) cache.keep(ann, accepted(id));
    cache.markPaid(hash(2));
    cache.keep(ann, { ...accepted(2), blockHash: hash(7) });
    expect(list(cache)).toEqual([1, 2, 3, 4]);
    cache.keep(bob, accepted(5));
    expect(list(cache)).toEqual([1, 2, 4, 5]);
    cache.keep(ann, accepted(6));
    expect(list(cache)).toEqual([2, 4, 5, 6]);
    for (const id of [4, 5, 6]) cache.markPaid(hash(id));
    cache.keep(ann, accepted(7));
    expect(list(cache)).toEqual([4, 5, 6, 7]);
    cache.close();
  });

  it('forgets unpaid judgements a day after their window, and paid ones only once released', () => {
    const cache = AcceptanceCache.open(folder);
    for (const id of [1, 2, 3, 4]) cache.keep(ann, accepted(id));
    for (const id of [2, 3, 4]) cache.markPaid(hash(id));
    cache.forget(KEPT_SECONDS + 4n, (id) => id !== hash(2));
    expect(list(cache)).toEqual([2, 4]);
    cache.close();
  });

  it('keeps when an origin was first seen as final for a month, unless its block changes', () => {
    const first = AcceptanceCache.open(folder);
    expect([50, 90].map((now) => first.keepFinalSince(hash(1), hash(2), now))).toEqual([50, 50]);
    // A clock that was ahead is corrected.
    expect([900, 60, 70].map((now) => first.keepFinalSince(hash(4), hash(2), now))).toEqual([900, 60, 60]);
    first.close();
    const next = AcceptanceCache.open(folder);
    expect(next.keepFinalSince(hash(1), hash(2), 95)).toBe(50);
    expect([3, 2].map((block, index) => next.keepFinalSince(hash(1), hash(block), 100 + index))).toEqual([100, 101]);
    next.forget(2_592_101n, () => true);
    expect(next.keepFinalSince(hash(1), hash(2), 200)).toBe(101);
    next.forget(2_592_102n, () => true);
    expect(next.keepFinalSince(hash(1), hash(2), 200)).toBe(200);
    next.close();
  });

  it('starts empty when its file is damaged', () => {
    writeFileSync(join(folder, 'acceptances'), 'no database'.repeat(500));
    const cache = AcceptanceCache.open(folder);
    cache.keep(ann, accepted(1));
    expect(list(cache)).toEqual([1]);
    cache.close();
  });
});
