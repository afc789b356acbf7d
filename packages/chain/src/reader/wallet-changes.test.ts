import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findChanges } from './wallet-changes.js';

/** An account that changes in these blocks. */
function makeAccount(changes: readonly bigint[]) {
  const asked = new Set<bigint>();
  const accountsAt = async (block: bigint) => {
    asked.add(block);
    return `${changes.filter((change) => change <= block).length}`;
  };
  return { asked, accountsAt };
}

describe('findChanges', () => {
  it('reads only both ends while nothing changes', async () => {
    const { asked, accountsAt } = makeAccount([]);
    expect(await findChanges({ from: 101n, to: 10_100n }, accountsAt, 64)).toEqual([]);
    expect([...asked]).toEqual([100n, 10_100n]);
  });

  it('finds one change with few requests', async () => {
    const { asked, accountsAt } = makeAccount([5_000n]);
    const [span, ...others] = (await findChanges({ from: 1n, to: 10_000n }, accountsAt, 64)) ?? [];
    expect(others).toEqual([]);
    expect(span!.from <= 5_000n && span!.to >= 5_000n && span!.to - span!.from < 5n).toBe(true);
    expect(asked.size).toBeLessThanOrEqual(14);
  });

  it('gives up after few requests if there are too many changes', async () => {
    const { asked, accountsAt } = makeAccount(Array.from({ length: 10_000 }, (_, index) => BigInt(index) + 1n));
    expect(await findChanges({ from: 1n, to: 10_000n }, accountsAt, 64)).toBeNull();
    expect(asked.size).toBeLessThan(300);
  });

  it('covers every block in which the account changed', async () => {
    const block = fc.bigInt(1n, 500n);
    await fc.assert(
      fc.asyncProperty(fc.array(block), block, block, async (changes, one, other) => {
        const span = { from: one < other ? one : other, to: one < other ? other : one };
        const spans = (await findChanges(span, makeAccount(changes).accountsAt, 1_000)) ?? [];
        const inside = changes.filter((change) => change >= span.from && change <= span.to);
        for (const change of inside) expect(spans.some(({ from, to }) => from <= change && change <= to)).toBe(true);
        for (const { from, to } of spans) expect(inside.some((change) => from <= change && change <= to)).toBe(true);
      }),
    );
  });
});
