import { describe, expect, it } from '@jest/globals';
import type { UpkeepPart } from '@causeway/store';
import { aHash } from '@causeway/test-kit';
import fc from 'fast-check';
import { planRetirements, planSweeps, type UpkeepEvent } from './restored-upkeep.js';

const part = (amount: bigint, readyAt = 0, isTaken = false): UpkeepPart => ({
  operationId: aHash(),
  amount,
  readyAt: new Date(readyAt),
  isTaken,
});
const event = (amount: bigint, at = 100): UpkeepEvent => ({ txHash: aHash(), amount, at: new Date(at) });
const ids = (parts: readonly UpkeepPart[]) => parts.map(({ operationId }) => operationId);

describe('planRetirements', () => {
  it('gives each retirement the next burns that add up to it', () => {
    const burns = [part(1n), part(2n), part(3n), part(4n)];
    const { upkeep, warnings } = planRetirements(burns, [event(3n, 7), event(3n, 8)]);
    expect(upkeep).toEqual([
      { amount: 3n, operationIds: ids(burns.slice(0, 2)), at: new Date(7) },
      { amount: 3n, operationIds: ids(burns.slice(2, 3)), at: new Date(8) },
    ]);
    expect(warnings).toEqual([]);
  });

  it('stores retirements as one that fit burns only together, and says so', () => {
    const burns = [part(5n), part(2n)];
    const { upkeep, warnings } = planRetirements(burns, [event(3n), event(4n)]);
    expect(upkeep).toMatchObject([{ amount: 7n, operationIds: ids(burns) }]);
    expect(warnings).toEqual([expect.stringContaining('only together')]);
  });

  it('restores nothing for what fits no burns, and says how much', () => {
    const { upkeep, warnings } = planRetirements([part(5n)], [event(3n)]);
    expect(upkeep).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('destroyed 3 units')]);
  });

  it('never counts more as retired than the chain shows, and all of it where the burns allow', () => {
    const amounts = fc.array(fc.bigInt({ min: 1n, max: 9n }), { maxLength: 12 });
    fc.assert(
      fc.property(amounts, amounts, (burnt, destroyed) => {
        const sum = (values: readonly bigint[]) => values.reduce((all, each) => all + each, 0n);
        const burns = burnt.map((amount) => part(amount));
        const { upkeep, warnings } = planRetirements(
          burns,
          destroyed.map((amount) => event(amount)),
        );
        const taken = upkeep.flatMap(({ operationIds }) => operationIds);
        expect(taken).toEqual(ids(burns).slice(0, taken.length));
        expect(sum(upkeep.map(({ amount }) => amount))).toBe(sum(burnt.slice(0, taken.length)));
        expect(sum(burnt.slice(0, taken.length)) <= sum(destroyed)).toBe(true);
        if (sum(burnt.slice(0, taken.length)) < sum(destroyed)) expect(warnings).not.toEqual([]);
      }),
    );
  });

  it('leaves out what an interrupted rebuild has stored', () => {
    const burns = [part(1n, 0, true), part(2n)];
    expect(planRetirements(burns, [event(1n), event(2n)]).upkeep).toMatchObject([
      { operationIds: ids(burns.slice(1)) },
    ]);
  });
});

describe('planSweeps', () => {
  it('gives a sweep the next final transfers that add up to it', () => {
    const payments = [part(4n), part(5n), part(6n)];
    const { upkeep, warnings } = planSweeps(payments, [event(9n), event(6n)]);
    expect(upkeep.map(({ operationIds }) => operationIds)).toEqual([ids(payments.slice(0, 2)), ids(payments.slice(2))]);
    expect(warnings).toEqual([]);
  });

  it('gives it all that were final when the wallet kept a part', () => {
    const payments = [part(4n, 50), part(5n, 60), part(6n, 200)];
    expect(planSweeps(payments, [event(7n)])).toEqual({
      upkeep: [{ amount: 7n, operationIds: ids(payments.slice(0, 2)), at: new Date(100) }],
      warnings: [],
    });
  });

  it('says by how much a sweep is above the known transfers', () => {
    const payments = [part(4n)];
    const { upkeep, warnings } = planSweeps(payments, [event(10n), event(3n)]);
    expect(upkeep).toMatchObject([{ amount: 10n, operationIds: ids(payments) }]);
    expect(warnings).toEqual([expect.stringContaining('6 units more'), expect.stringContaining('3 units more')]);
  });
});
