import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RpcHeader } from '../backend.js';
import { advanceChain } from './head-tracker.js';

/** A chain whose block hashes consist of branch and number. */
function grow(base: readonly RpcHeader[], length: number, branch: string): RpcHeader[] {
  const chain = [...base];
  while (chain.length < length) {
    const number = chain.length;
    const parentHash = chain.at(-1)?.hash ?? '0x';
    chain.push({ hash: `0x${branch}${number}`, parentHash, number: `0x${number.toString(16)}`, timestamp: '0x0' });
  }
  return chain;
}

const fetchFrom = (chain: readonly RpcHeader[]) => (number: number) => Promise.resolve(chain[number] ?? null);

describe('advanceChain', () => {
  it('turns any branch into any other', async () => {
    const lengths = fc.record({
      shared: fc.integer({ min: 1, max: 120 }),
      old: fc.integer({ min: 0, max: 60 }),
      next: fc.integer({ min: 1, max: 200 }),
    });
    await fc.assert(
      fc.asyncProperty(lengths, async ({ shared, old, next }) => {
        const base = grow([], shared, 'a');
        const known = grow(base, shared + old, 'b');
        const node = grow(base, shared + next, 'c');
        const advance = await advanceChain(known, node.at(-1) as RpcHeader, fetchFrom(node));
        expect(advance?.jumped).toBe(false);
        expect(advance?.events.map(({ header }) => header)).toEqual(node.slice(shared));
        expect(advance?.events[0]?.removed).toEqual(known.slice(shared).toReversed());
        expect(advance?.events.slice(1).every(({ removed }) => removed.length === 0)).toBe(true);
        expect(advance?.chain).toEqual(node.slice(-256));
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it('starts with the first head without an event', async () => {
    const [head] = grow([], 1, 'a') as [RpcHeader];
    expect(await advanceChain([], head, fetchFrom([]))).toEqual({ chain: [head], events: [], jumped: false });
  });

  it('returns null when the chain of the node changes during the walk', async () => {
    const known = grow([], 5, 'a');
    const node = grow(known, 9, 'b');
    const other = grow(known, 9, 'c');
    expect(await advanceChain(known, node[8] as RpcHeader, fetchFrom(other))).toBeNull();
    expect(await advanceChain(known, node[8] as RpcHeader, () => Promise.resolve(null))).toBeNull();
  });

  it('jumps over a gap that is too wide, and to a chain without a known block', async () => {
    const known = grow([], 5, 'a');
    const far = grow(known, 3_000, 'a');
    const head = far.at(-1) as RpcHeader;
    expect(await advanceChain(known, head, fetchFrom(far))).toEqual({
      chain: [head],
      events: [{ header: head, removed: [] }],
      jumped: true,
    });
    const foreign = grow([], 8, 'z');
    expect(await advanceChain(known, foreign[7] as RpcHeader, fetchFrom(foreign))).toMatchObject({ jumped: true });
  });
});
