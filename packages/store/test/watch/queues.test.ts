import { describe, expect, it } from '@jest/globals';
import { ETHEREUM, PARTNER } from '@causeway/test-kit';
import { wallet, useStore } from '../temporary-store.js';
import { aDeposit, aSignature, opening } from '../../src/test/rows.js';

const t = useStore();

describe('mints in flight', () => {
  it('are those signed from a nonce on, unless they lost their origin', async () => {
    const sumFrom = (nonce: bigint, originUntil = 10n ** 9n) =>
      t.store.journal.mintsFrom(wallet, nonce, 'ETH', originUntil);
    const [one, other] = [await t.due(aDeposit({ asset: 'ETH' })), await t.due(aDeposit({ asset: 'ETH', amount: 7n }))];
    const signed = (await t.record(one))!;
    await t.record(other);
    expect([await sumFrom(signed.nonce), await sumFrom(signed.nonce + 1n)]).toEqual([1_007n, 7n]);
    const { blockNumber } = (await t.operation(other)).origin!;
    expect(await sumFrom(signed.nonce, blockNumber - 1n)).toBe(1_000n);
    await t.store.halts.halt(ETHEREUM, 'a test');
    const [halt] = await t.store.halts.list();
    await t.store.halts.liftAndRollBack(halt!, (await t.operation(other)).origin!.blockNumber - 1n);
    expect(await sumFrom(signed.nonce)).toBe(1_000n);
  });

  it('exclude the operations that their calls did not pay', async () => {
    const [skipped, paid] = [
      await t.due(aDeposit({ asset: 'ETH' })),
      await t.due(aDeposit({ asset: 'ETH', amount: 7n })),
    ];
    const first = (await t.record(skipped, paid))!;
    const sumFrom = (nonce: bigint) => t.store.journal.mintsFrom(wallet, nonce, 'ETH', 10n ** 9n);
    expect(await sumFrom(first.nonce)).toBe(1_007n);
    const unpaid = [{ operationId: skipped.id, reason: 'OUTFLOW_LIMIT' as const, nextAttemptAt: new Date() }];
    expect(await t.conclude(first, 'SUCCEEDED', unpaid)).toBe(true);
    expect(await sumFrom(first.nonce)).toBe(7n);
    const second = (await t.record(skipped))!;
    expect([await sumFrom(first.nonce), await sumFrom(second.nonce)]).toEqual([1_007n, 1_000n]);
  });
});

describe('queues', () => {
  it('count the operations by stage and reason, and the pending transactions', async () => {
    const terms = await t.due();
    await t.store.operations.delayAll(t.fence, [
      { operationId: terms.id, reason: 'FLOAT_SHORT', nextAttemptAt: new Date() },
    ]);
    const depths = await t.store.queues.depths();
    expect(depths).toContainEqual(expect.objectContaining({ stage: 'deliver', reason: 'FLOAT_SHORT', operations: 1 }));
    const call = (await t.record(await t.due()))!;
    await t.store.journal.replace(t.fence, call, aSignature(call.nonce), false);
    const pending = (await t.store.queues.transactions()).find(({ chainId }) => chainId === PARTNER);
    expect(pending).toMatchObject({ replacements: expect.any(Number) });
    expect(pending!.replacements).toBeGreaterThan(0);
  });

  it('sum the owed amounts by destination and asset, with fees and without sent deliveries', async () => {
    const owed = async () =>
      (await t.store.queues.owed()).find(({ chainId, asset }) => chainId === PARTNER && asset === 'XCN')?.amount ?? 0n;
    const before = await owed();
    const [confirming, due, sent] = [1_000n, 500n, 70n].map((amount) => aDeposit({ asset: 'XCN', amount }));
    await t.mine(ETHEREUM, { events: [opening(confirming!)] });
    await t.due(due);
    expect(await owed()).toBe(before + 1_500n);
    await t.record(await t.due(sent));
    expect(await owed()).toBe(before + 1_500n);
  });
});
