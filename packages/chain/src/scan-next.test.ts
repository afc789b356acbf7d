import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planScan } from './scan-next.js';

const height = fc.bigInt(0n, 10n ** 9n);
const count = fc.integer({ min: 1, max: 1_000 });

describe('planScan', () => {
  it.each([
    ['one new block', 10n, 10n, 50, { kind: 'read', from: 10n, to: 10n }],
    ['more new blocks than one scan reads', 100n, 10n, 50, { kind: 'read', from: 10n, to: 59n }],
    ['nothing new', 9n, 10n, 50, { kind: 'compare', height: 9n }],
    ['a node that lags or was rolled back', 4n, 10n, 50, { kind: 'compare', height: 4n }],
    ['a chain with block 0 only', 0n, 0n, 50, { kind: 'read', from: 0n, to: 0n }],
  ] as const)('%s', (_, head, nextBlock, maxBlocks, plan) => {
    expect(planScan({ head, nextBlock, maxBlocks })).toEqual(plan);
  });

  it('reads from the cursor, at least one block, never past the head or the maximum', () => {
    fc.assert(
      fc.property(height, height, count, (head, nextBlock, maxBlocks) => {
        const plan = planScan({ head, nextBlock, maxBlocks });
        expect(plan.kind).toBe(head < nextBlock ? 'compare' : 'read');
        if (plan.kind === 'compare') return expect(plan.height < nextBlock).toBe(true);
        expect(plan.from).toBe(nextBlock);
        expect(plan.to >= plan.from && plan.to <= head).toBe(true);
        expect(plan.to - plan.from < BigInt(maxBlocks)).toBe(true);
      }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses to read %d blocks', (maxBlocks) => {
    expect(() => planScan({ head: 1n, nextBlock: 0n, maxBlocks })).toThrow(RangeError);
  });
});
