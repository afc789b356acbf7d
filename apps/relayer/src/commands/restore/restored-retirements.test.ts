import { describe, expect, it } from '@jest/globals';
import type { CompletedBurn } from '@causeway/store';
import { aHash } from '@causeway/test-kit';
import fc from 'fast-check';
import { describeUnmatched, planRetirements, type RetiredEvent } from './restored-retirements.js';

const burn = (amount: bigint): CompletedBurn => ({ operationId: aHash(), amount });
const event = (amount: bigint, at = 100): RetiredEvent => ({ txHash: aHash(), amount, at: new Date(at) });
const ids = (burns: readonly CompletedBurn[]) => burns.map(({ operationId }) => operationId);

describe('planRetirements', () => {
  it('gives each retirement the next burns that add up to its amount', () => {
    const burns = [burn(1n), burn(2n), burn(3n), burn(4n)];
    const [first, second] = [event(3n, 7), event(3n, 8)];
    const { retirements, warnings } = planRetirements(burns, [first, second]);
    expect(retirements).toEqual([
      { amount: 3n, operationIds: ids(burns.slice(0, 2)), at: new Date(7), txHashes: [first.txHash] },
      { amount: 3n, operationIds: ids(burns.slice(2, 3)), at: new Date(8), txHashes: [second.txHash] },
    ]);
    expect(warnings).toEqual([]);
  });

  it('merges retirements that match burns only together, with a warning', () => {
    const burns = [burn(5n), burn(2n)];
    const { retirements, warnings } = planRetirements(burns, [event(3n), event(4n)]);
    expect(retirements).toMatchObject([{ amount: 7n, operationIds: ids(burns) }]);
    expect(warnings).toEqual([expect.stringContaining('only their sum')]);
  });

  it('restores no retirement that matches no burns, and reports its amount', () => {
    const { retirements, open, warnings } = planRetirements([burn(5n)], [event(3n)]);
    expect(retirements).toEqual([]);
    expect(warnings).toEqual([]);
    expect(describeUnmatched(open)).toEqual([expect.stringContaining('destroyed 3 units')]);
    expect(describeUnmatched([])).toEqual([]);
  });

  it('continues with the events that an earlier part left open', () => {
    const burns = [burn(5n), burn(2n)];
    const { open } = planRetirements(burns, [event(3n)]);
    expect(planRetirements(burns, [...open, event(4n)]).retirements).toMatchObject([
      { amount: 7n, operationIds: ids(burns) },
    ]);
  });

  it('never counts more as retired than the chain shows, and counts all of it where the burns allow', () => {
    const amounts = fc.array(fc.bigInt({ min: 1n, max: 9n }), { maxLength: 12 });
    fc.assert(
      fc.property(amounts, amounts, (burnt, destroyed) => {
        const sum = (values: readonly bigint[]) => values.reduce((all, each) => all + each, 0n);
        const burns = burnt.map((amount) => burn(amount));
        const { retirements, open } = planRetirements(
          burns,
          destroyed.map((amount) => event(amount)),
        );
        const taken = retirements.flatMap(({ operationIds }) => operationIds);
        expect(taken).toEqual(ids(burns).slice(0, taken.length));
        expect(sum(retirements.map(({ amount }) => amount))).toBe(sum(burnt.slice(0, taken.length)));
        expect(sum(burnt.slice(0, taken.length)) <= sum(destroyed)).toBe(true);
        if (sum(burnt.slice(0, taken.length)) < sum(destroyed)) expect(open).not.toEqual([]);
      }),
    );
  });
});
