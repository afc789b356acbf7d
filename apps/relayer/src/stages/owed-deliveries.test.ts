import { describe, expect, it } from '@jest/globals';
import type { DelayReason } from '@causeway/protocol';
import type { Operation, OwedDelivery } from '@causeway/store';
import { aBurn, anOperation } from '@causeway/store/test';
import { anAddressBook, ETHEREUM, PARTNER } from '@causeway/test-kit';
import type { BridgeChain, BridgeChains } from '../bridge-chain.js';
import { OwedDeliveries } from './owed-deliveries.js';

const NOW = 1_000_000_000_000;
const book = anAddressBook();
const burn = (given: Partial<Operation> = {}): Operation => ({
  ...anOperation(aBurn(), { holdReleasedAt: new Date(NOW) }),
  ...given,
});

/** The step between scripted chains and a scripted store. */
function setUp(
  due: readonly Operation[],
  script: {
    isFinal?: (id: Operation) => boolean;
    areDeliveriesHalted?: boolean;
    haltedChainId?: number;
    /** Deliveries of the due operations from before their numbers were reopened. */
    deliveries?: readonly OwedDelivery[];
  } = {},
) {
  const isFinal = async ({ blockHash }: { blockHash: string }) => {
    const operation = due.find(({ origin }) => origin?.blockHash === blockHash);
    return operation === undefined || (script.isFinal?.(operation) ?? true);
  };
  const chain = (side: 'ethereum' | 'partner', chainId: number) =>
    ({ side, chainId, confirmations: 1, finality: { isFinal } }) as unknown as BridgeChain;
  const chains: BridgeChains = { ethereum: chain('ethereum', ETHEREUM), partner: chain('partner', PARTNER) };
  const store = {
    halts: {
      list: async () => (script.haltedChainId === undefined ? [] : [{ chainId: script.haltedChainId }]),
      deliveries: async () => (script.areDeliveriesHalted === true ? { since: new Date(0), reason: '' } : null),
    },
    scan: { latestBlock: async () => ({ number: 100n }) },
    verdicts: { deliveriesFor: async () => script.deliveries ?? [] },
    operations: {
      findDue: async (_: number, _final: bigint, now: Date, _most: number, causes: readonly DelayReason[]) =>
        due.filter(
          ({ nextAttemptAt, delayedReason }) =>
            nextAttemptAt === null || nextAttemptAt <= now || causes.includes(delayedReason!),
        ),
    },
  };
  const deliveries = new OwedDeliveries(chains, store as never, { addressBook: book } as never);
  const find = async (nowMs = NOW) => (await deliveries.find(chains.ethereum, nowMs)).map(({ id }) => id);
  return { deliveries, chains, find };
}

describe('the deliveries that are owed', () => {
  it.each([
    ['the deliveries are halted', { areDeliveriesHalted: true }],
    ['their destination is halted', { haltedChainId: ETHEREUM }],
    ['their origin is halted', { haltedChainId: PARTNER }],
  ])('are empty while %s', async (_, script) => {
    expect(await setUp([burn()], script).find()).toEqual([]);
  });

  it('include reopened operations, unless they were paid with their own terms', async () => {
    const [paid, owed] = [burn(), burn()];
    const release = (operation: Operation, amount: bigint) => {
      const { id: operationId, recipient, fee } = operation;
      const args = { token: book.ethereum.tokens.USDC.toLowerCase(), recipient, amount: `${amount}`, fee: `${fee}` };
      return { delivery: { name: 'Release', chainId: ETHEREUM, operationId, args }, owed: operation } as never;
    };
    const deliveries = [release(paid, 1n), release(paid, paid.outputAmount), release(owed, 1n)];
    expect(await setUp([paid, owed], { deliveries }).find()).toEqual([owed.id]);
  });

  it('have a final origin; the others wait', async () => {
    const [gone, owed] = [burn(), burn()];
    const { deliveries } = setUp([gone, owed], { isFinal: ({ id }) => id !== gone.id });
    expect(await deliveries.check([gone, owed])).toEqual({
      owed: [owed],
      unpaid: [{ operation: gone, reason: 'ORIGIN_NOT_CONFIRMED' }],
      revoked: [],
    });
  });

  it('are rechecked at most once in two seconds, and early only if a read can show that the cause has cleared', async () => {
    const waitingFor = (delayedReason: DelayReason) =>
      burn({ status: 'DELAYED', delayedReason, nextAttemptAt: new Date(NOW + 30_000) });
    const paused = waitingFor('PAUSED');
    const { deliveries, chains, find } = setUp([paused, waitingFor('DESTINATION_REVERTED')]);
    expect(await find()).toEqual([paused.id]);
    expect(await find(NOW + 1_999)).toEqual([]);
    expect(await find(NOW + 2_000)).toEqual([paused.id]);
    deliveries.recheck(chains.partner);
    expect(await find(NOW + 2_001)).toEqual([]);
    deliveries.recheck(chains.ethereum);
    expect(await find(NOW + 2_001)).toEqual([paused.id]);
  });
});
