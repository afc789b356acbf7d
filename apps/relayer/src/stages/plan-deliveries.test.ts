import { describe, expect, it } from '@jest/globals';
import type { Operation } from '@causeway/store';
import { aBurn, aDeposit, anIntent, anOperation } from '@causeway/store/test';
import fc from 'fast-check';
import { lessInFlight, planDeliveries, type AssetFunds, type DestinationFunds } from './plan-deliveries.js';

const MINUTE = 60_000;
const NOW = 100 * MINUTE;
const PLENTY: AssetFunds = { room: 10_000n, capacity: 10_000n, windowSeconds: 1_000n, unit: 1n, held: 10_000n };

const ethereum = (usdc: Partial<AssetFunds> = {}): DestinationFunds => {
  return {
    side: 'ethereum',
    isPaused: false,
    assets: { USDC: { ...PLENTY, ...usdc }, ETH: PLENTY, XCN: PLENTY },
    spendable: 0n,
  };
};
const partner = (float: bigint, spendable: bigint): DestinationFunds => {
  const assets = { USDC: { ...PLENTY, held: null }, XCN: { ...PLENTY, held: float } };
  return { side: 'partner', isPaused: false, assets, spendable };
};
/** A withdrawal that takes `asked` of the limit, and was payable `minutes` ago. */
function burn(asked: bigint, minutes = 1, over: Partial<Operation> = {}): Operation {
  const terms = aBurn({ amount: asked, fee: 1n, outputAmount: asked - 1n });
  return anOperation(terms, { holdReleasedAt: new Date(NOW - minutes * MINUTE), ...over });
}
const young = { holdReleasedAt: new Date(NOW - MINUTE) };
const xcn = (amount: bigint) => anOperation(aDeposit({ asset: 'XCN', amount, outputAmount: amount }), young);
const sent = (plan: ReturnType<typeof planDeliveries>) => plan.groups.flatMap(({ operations }) => operations);
const delays = (plan: ReturnType<typeof planDeliveries>) =>
  plan.delays.map(({ operation, reason }) => [operation, reason]);

describe('the plan of deliveries', () => {
  it('of 8 releases above the limit sends those that fit, and delays the rest until the limit has refilled', () => {
    const due = Array.from({ length: 8 }, () => burn(100n));
    const plan = planDeliveries(due, ethereum({ room: 450n }), NOW);
    expect(sent(plan)).toHaveLength(4);
    expect(plan.delays).toHaveLength(4);
    for (const { reason, nextAttemptAt } of plan.delays) {
      expect(reason).toBe('OUTFLOW_LIMIT');
      // 50 of 10,000 are missing, which refill in 1,000 s; one second is added.
      expect(nextAttemptAt.getTime() - NOW).toBe(6_000);
    }
  });

  it('sorts by age above ten minutes, otherwise by asset, amount, age and id', () => {
    const aged = [burn(500n, 12), burn(900n, 11)];
    const eth = burn(200n, 1, { asset: 'ETH' });
    const [small, older, younger] = [burn(100n), burn(300n, 3), burn(300n, 2)];
    const unheld = burn(300n, 1, { holdReleasedAt: null });
    const twins = [burn(400n), burn(400n)].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const ordered = [...aged, eth, small, unheld, older, younger, ...twins];
    for (const due of [ordered, ordered.toReversed()])
      expect(sent(planDeliveries(due, ethereum(), NOW))).toEqual(ordered);
  });

  it('ignores a pending call of an asset whose funds were not read', () => {
    const funds = partner(100n, 100n);
    const operation = { asset: 'ETH', outputAmount: 5n, fee: 0n };
    expect(lessInFlight(funds, [{ operation, isPaidByWallet: false }])).toEqual(funds);
  });

  it('delays only a mint that neither float nor wallet covers', () => {
    const [large, small, token] = [xcn(900n), xcn(50n), anOperation(aDeposit(), young)];
    const plan = planDeliveries([large, small, token], partner(100n, 100n), NOW);
    expect(delays(plan)).toEqual([[large, 'FLOAT_SHORT']]);
    expect(plan.groups).toEqual([{ operations: [token, small], isPaidByWallet: false }]);
  });

  it('pays a mint of native coin from the float while it suffices, then from the wallet, in separate calls', () => {
    const due = [xcn(60n), xcn(61n), xcn(62n)];
    const plan = planDeliveries(due, partner(100n, 100n), NOW);
    expect(plan.groups).toEqual([
      { operations: [due[0]], isPaidByWallet: false },
      { operations: [due[1]], isPaidByWallet: true },
    ]);
    expect(delays(plan)).toEqual([[due[2], 'FLOAT_SHORT']]);
  });

  it('reports short collateral, and a pause', () => {
    const due = [burn(100n)];
    expect(delays(planDeliveries(due, ethereum({ held: 99n }), NOW))).toEqual([[due[0], 'COLLATERAL_SHORT']]);
    expect(delays(planDeliveries(due, { ...ethereum(), isPaused: true }, NOW))).toEqual([[due[0], 'PAUSED']]);
  });

  it('pays what exactly fits the room, the collateral, the float or the wallet', () => {
    expect(sent(planDeliveries([burn(500n)], ethereum({ room: 500n, held: 500n }), NOW))).toHaveLength(1);
    expect(planDeliveries([xcn(100n)], partner(100n, 0n), NOW).groups[0]?.isPaidByWallet).toBe(false);
    expect(planDeliveries([xcn(100n)], partner(99n, 100n), NOW).groups[0]?.isPaidByWallet).toBe(true);
  });

  it('retries within minutes for a limit that never refills', () => {
    const { delays: waits } = planDeliveries([burn(100n)], ethereum({ room: 0n, capacity: 0n }), NOW);
    expect(waits).toEqual([expect.objectContaining({ reason: 'OUTFLOW_LIMIT' })]);
    expect(waits[0]?.nextAttemptAt).toEqual(new Date(NOW + 3 * MINUTE));
  });

  it('refuses to plan an asset whose funds were not read', () => {
    expect(() => planDeliveries([xcn(1n)], { ...partner(1n, 1n), assets: {} }, NOW)).toThrow(/funds of XCN/);
  });

  it('sends small amounts first, until a larger one is older than ten minutes', () => {
    const [small, middle, large] = [burn(100n), burn(200n), burn(300n, 9)];
    expect(sent(planDeliveries([large, middle, small], ethereum(), NOW))).toEqual([small, middle, large]);
    const aged = { ...large, holdReleasedAt: new Date(NOW - 11 * MINUTE) };
    expect(sent(planDeliveries([small, middle, aged], ethereum(), NOW))).toEqual([aged, small, middle]);
  });

  it('sends the oldest of the aged ones first, and equal ones by age and id', () => {
    const [older, younger] = [burn(300n, 12), burn(200n, 11)];
    expect(sent(planDeliveries([younger, older], ethereum(), NOW))).toEqual([older, younger]);
    const [early, late] = [burn(100n, 2), burn(100n, 1)];
    expect(sent(planDeliveries([late, early], ethereum(), NOW))).toEqual([early, late]);
    const [a, b] = [burn(100n, 1, { id: '0xaa' }), burn(100n, 1, { id: '0xbb' })];
    expect(sent(planDeliveries([b, a], ethereum(), NOW))).toEqual([a, b]);
    expect(sent(planDeliveries([a, b], ethereum(), NOW))).toEqual([a, b]);
  });

  it('treats an operation as aged only after ten full minutes', () => {
    const [small, large] = [burn(100n), burn(300n, 10)];
    expect(sent(planDeliveries([large, small], ethereum(), NOW))).toEqual([small, large]);
  });

  it('reserves no room for an aged operation that waits for something else', () => {
    const aged = { ...xcn(900n), holdReleasedAt: new Date(NOW - 11 * MINUTE) };
    const small = xcn(50n);
    const funds = partner(100n, 0n);
    const exact = { ...funds, assets: { ...funds.assets, XCN: { ...PLENTY, held: 100n, room: 900n } } };
    for (const each of [funds, exact]) expect(sent(planDeliveries([aged, small], each, NOW))).toEqual([small]);
  });

  it('reserves refilling room only for an aged operation that fits into the capacity', () => {
    const small = burn(100n);
    expect(sent(planDeliveries([small, burn(900n, 5)], ethereum({ room: 500n }), NOW))).toEqual([small]);
    expect(sent(planDeliveries([small, burn(900n, 11)], ethereum({ room: 500n }), NOW))).toEqual([]);
    expect(sent(planDeliveries([small, burn(10_000n, 11)], ethereum({ room: 500n }), NOW))).toEqual([]);
    expect(sent(planDeliveries([small, burn(10_001n, 11)], ethereum({ room: 500n }), NOW))).toEqual([small]);
  });

  it.each(['DESTINATION_REVERTED', 'NODE_REFUSED'] as const)(
    'sends an intent, and a delivery that was %s, alone',
    (delayedReason) => {
      const trouble = burn(100n, 1, { delayedReason });
      const intent = anOperation(anIntent({ amount: 100n, fee: 1n, outputAmount: 99n }), young);
      const [one, two] = [burn(100n), burn(100n)];
      const plan = planDeliveries([trouble, one, intent, two], ethereum(), NOW);
      expect(plan.groups.map(({ operations }) => operations.length)).toEqual([2, 1, 1]);
      expect(new Set(plan.groups[0]?.operations)).toEqual(new Set([one, two]));
    },
  );

  it('counts pending calls, in whole units of the limit', () => {
    const inFlight = [{ operation: burn(101n), isPaidByWallet: false }];
    const { assets } = lessInFlight(ethereum({ room: 300n, unit: 100n }), inFlight);
    expect(assets.USDC).toMatchObject({ room: 100n, held: 10_000n - 101n });
    const whole = [{ operation: burn(100n), isPaidByWallet: false }];
    expect(lessInFlight(ethereum({ room: 300n, unit: 100n }), whole).assets.USDC).toMatchObject({ room: 200n });
    // An asset without a due operation has no funds here.
    expect(lessInFlight({ ...ethereum(), assets: {} }, inFlight).assets).toEqual({});
    // A mint that the wallet pays takes nothing from the float; its value is already in the lane's accounting.
    const mint = [{ operation: xcn(40n), isPaidByWallet: true }];
    expect(lessInFlight(partner(100n, 70n), mint)).toMatchObject({ spendable: 70n, assets: { XCN: { held: 100n } } });
  });

  it('never spends more than available, and forgets no operation', () => {
    const amounts = fc.bigInt(2n, 5_000n);
    const due = fc.array(fc.tuple(fc.constantFrom<'USDC' | 'XCN'>('USDC', 'XCN'), amounts, fc.nat(20)), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(
        due,
        fc.bigInt(0n, 9_000n),
        fc.bigInt(0n, 9_000n),
        fc.bigInt(0n, 9_000n),
        (given, room, float, free) => {
          const operations = given.map(([asset, amount, age]) =>
            anOperation(aDeposit({ asset, amount, outputAmount: amount }), {
              holdReleasedAt: new Date(NOW - age * MINUTE),
            }),
          );
          const assets = { USDC: { ...PLENTY, room, held: null }, XCN: { ...PLENTY, room, held: float } };
          const plan = planDeliveries(operations, { ...partner(float, free), assets }, NOW);
          const sum = (asset: string, isPaidByWallet?: boolean) =>
            plan.groups
              .filter((group) => isPaidByWallet === undefined || group.isPaidByWallet === isPaidByWallet)
              .flatMap((group) => group.operations)
              .filter((operation) => operation.asset === asset)
              .reduce((total, { outputAmount }) => total + outputAmount, 0n);
          expect(sum('USDC') <= room && sum('XCN') <= room).toBe(true);
          expect(sum('XCN', false) <= float && sum('XCN', true) <= free).toBe(true);
          const seen = [...sent(plan), ...plan.delays.map(({ operation }) => operation)];
          expect(new Set(seen)).toEqual(new Set(operations));
          for (const { nextAttemptAt } of plan.delays) expect(nextAttemptAt.getTime()).toBeGreaterThan(NOW);
        },
      ),
    );
  });
});
