import type { CallOutcome, Fence, WalletCall } from '@causeway/store';
import { aHash, anAddress } from '@causeway/test-kit';
import { describe, expect, it } from '@jest/globals';
import type { BridgeChain } from '../bridge-chain.js';
import { endFormerCalls, type FormerCallsContext } from './former-calls.js';

const [present, former] = [anAddress('the relayer'), anAddress('a former relayer')];
const operationId = aHash();

/** Runs it on one call of the former wallet that was never mined. Returns how that ended. */
async function end(purpose: WalletCall['purpose'], side: 'ethereum' | 'partner', relayer = present) {
  const outcomes: [CallOutcome, unknown][] = [];
  const call = {
    id: 1n,
    purpose,
    nonce: 4n,
    address: former,
    operationIds: [operationId],
    transactions: [{ hash: aHash() }],
  };
  const answers = [relayer, null, 4];
  const chain = {
    side,
    confirmations: 1,
    connection: { agree: async () => Promise.resolve(answers.shift()), client: {} },
  } as unknown as BridgeChain;
  const context = {
    lanes: { wallet: () => ({ chainId: 1, address: present }) },
    configuration: {},
    store: {
      scan: { latestBlock: async () => Promise.resolve({ number: 9n }) },
      journal: {
        pendingOfFormer: async () => Promise.resolve([call]),
        conclude: async (_: Fence, __: unknown, outcome: CallOutcome, unpaid: unknown) => {
          outcomes.push([outcome, unpaid]);
          return Promise.resolve(true);
        },
      },
    },
  } as unknown as FormerCallsContext;
  expect(await endFormerCalls(context, {} as Fence, chain)).toBe(outcomes.length > 0);
  return outcomes;
}

describe('a call of a former wallet that was never mined', () => {
  it.each([
    ['DELIVERY', 'ethereum'],
    ['DELIVERY', 'partner'],
    ['RETIREMENT', 'partner'],
    ['SWEEP', 'partner'],
    ['REFUND', 'partner'],
  ] as const)('ends, and what it served is due again (%s on %s)', async (purpose, side) => {
    const unpaid = [{ operationId, reason: 'DELIVERY_CANCELLED', nextAttemptAt: null }];
    expect(await end(purpose, side)).toEqual([[{ state: 'TAKEN' }, unpaid]]);
  });

  it('stays while it could still be paid', async () => {
    expect(await end('REFUND', 'ethereum')).toEqual([]);
    expect(await end('DELIVERY', 'partner', former)).toEqual([]);
  });
});
