import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planReading, type ReadPlanInput } from './plan.js';

const input = (over: Partial<ReadPlanInput>): ReadPlanInput => ({
  head: 1_000_000n,
  nextBlock: 1n,
  confirmations: 12,
  headBlocks: 16,
  rangeBlocks: 2_000,
  blocksUntil: 0n,
  ...over,
});

describe('planReading', () => {
  it.each<[string, Partial<ReadPlanInput>, object]>([
    ['one new block', { head: 10n, nextBlock: 10n }, { kind: 'blocks', from: 10n, to: 10n }],
    ['more new blocks than one step reads', { head: 60n, nextBlock: 10n }, { kind: 'blocks', from: 10n, to: 25n }],
    ['nothing new', { head: 9n, nextBlock: 10n }, { kind: 'compare', height: 9n }],
    ['nodes that lag or were rolled back', { head: 4n, nextBlock: 10n }, { kind: 'compare', height: 4n }],
    ['a chain with block 0 only', { head: 0n, nextBlock: 0n }, { kind: 'blocks', from: 0n, to: 0n }],
    ['a margin of final blocks', { head: 175n, nextBlock: 101n }, { kind: 'blocks', from: 101n, to: 116n }],
    ['one final block more', { head: 176n, nextBlock: 101n }, { kind: 'range', from: 101n, to: 164n }],
    ['far behind', { nextBlock: 5n }, { kind: 'range', from: 5n, to: 2_004n }],
    ['half of the rest', { head: 1_011n, nextBlock: 1n }, { kind: 'range', from: 1n, to: 500n }],
    ['blocks whose state is gone', { nextBlock: 5n, blocksUntil: 9n }, { kind: 'blocks', from: 5n, to: 20n }],
  ])('%s', (_, over, plan) => {
    expect(planReading(input(over))).toEqual(plan);
  });

  const height = fc.bigInt(0n, 10n ** 7n);
  const anyInput = fc.record({
    head: height,
    nextBlock: height,
    confirmations: fc.integer({ min: 1, max: 100 }),
    headBlocks: fc.integer({ min: 1, max: 64 }),
    rangeBlocks: fc.integer({ min: 1, max: 10_000 }),
    blocksUntil: height,
  });

  it('reads on at the cursor, at least one block, never past the head, and in ranges never past a final block', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        const plan = planReading(given);
        expect(plan.kind === 'compare').toBe(given.head < given.nextBlock);
        if (plan.kind === 'compare') return expect(plan.height < given.nextBlock).toBe(true);
        const end = plan.kind === 'range' ? given.head - BigInt(given.confirmations) + 1n : given.head;
        expect(plan.from).toBe(given.nextBlock);
        expect(plan.to >= plan.from && plan.to <= end).toBe(true);
      }),
    );
  });

  it('reaches the head from everywhere, in few steps, and without a gap', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        let [nextBlock, steps] = [given.nextBlock, 0n];
        for (; nextBlock <= given.head; steps += 1n) {
          const plan = planReading({ ...given, nextBlock });
          if (plan.kind === 'compare') throw new Error('There are blocks to read');
          expect(plan.from).toBe(nextBlock);
          nextBlock = plan.to + 1n;
          if (steps > 5_000n) return;
        }
        expect(nextBlock).toBe(given.head < given.nextBlock ? given.nextBlock : given.head + 1n);
      }),
      { numRuns: 30 },
    );
  });
});
