import type { CallOutcome, Fence, WalletCall } from '@causeway/store';
import { aHash, anAddress } from '@causeway/test-kit';
import { describe, expect, it } from '@jest/globals';
import { TransactionReceiptNotFoundError, type Address } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import { FormerCalls, type FormerCallsContext } from './former-calls.js';

const [present, former] = [anAddress('the relayer'), anAddress('a former relayer')];
const operationId = aHash();

const [FINAL, HEAD] = [9n, 11n];

interface Given {
  /** The contract's relayer at the final block, and at the head. */
  readonly relayers?: readonly [Address, Address];
  readonly minedAt?: bigint;
}

/** Checks one call of the former wallet twice. Returns how it ended. */
async function end(purpose: WalletCall['purpose'], side: 'ethereum' | 'partner', given: Given = {}) {
  const { relayers = [present, present], minedAt } = given;
  const outcomes: [CallOutcome, unknown][] = [];
  const hash = aHash();
  const call = { id: 1n, purpose, nonce: 4n, address: former, operationIds: [operationId], transactions: [{ hash }] };
  const receipt = {
    status: 'success',
    blockNumber: minedAt,
    blockHash: aHash(),
    gasUsed: 1n,
    effectiveGasPrice: 1n,
    logs: [],
  };
  const client = {
    readContract: async ({ blockNumber }: { blockNumber: bigint }) =>
      Promise.resolve(relayers[blockNumber === FINAL ? 0 : 1]),
    getTransactionReceipt: async () =>
      minedAt === undefined ? Promise.reject(new TransactionReceiptNotFoundError({ hash })) : Promise.resolve(receipt),
    getTransactionCount: async () => Promise.resolve(4),
  };
  const agree = async (read: (from: typeof client) => Promise<unknown>) => read(client);
  const connection = { agree, agreedHead: async () => Promise.resolve(HEAD), client };
  const conclude = async (_: Fence, __: unknown, outcome: CallOutcome, unpaid: unknown) => {
    outcomes.push([outcome, unpaid]);
    return Promise.resolve(true);
  };
  const context = {
    lanes: { wallet: () => ({ chainId: 1, address: present }) },
    configuration: { addressBook: { ethereum: {}, partner: {} } },
    store: {
      scan: { latestBlock: async () => Promise.resolve({ number: FINAL }) },
      journal: { pendingOfFormer: async () => Promise.resolve([call]), conclude },
    },
  } as unknown as FormerCallsContext;
  const calls = new FormerCalls(context);
  const chain = { chainId: 1, side, confirmations: 1, connection } as unknown as BridgeChain;
  expect(await calls.end({} as Fence, chain)).toBe(outcomes.length > 0);
  // The calls are checked again when another block is final.
  expect(await calls.end({} as Fence, chain)).toBe(false);
  return outcomes;
}

describe('a call of a former wallet', () => {
  it.each([
    ['DELIVERY', 'ethereum'],
    ['DELIVERY', 'partner'],
    ['RETIREMENT', 'partner'],
    ['SWEEP', 'partner'],
    ['REFUND', 'partner'],
  ] as const)('ends if it was never mined, and its operations are due again (%s on %s)', async (purpose, side) => {
    const unpaid = [{ operationId, reason: 'DELIVERY_CANCELLED', nextAttemptAt: null }];
    expect(await end(purpose, side)).toEqual([[{ state: 'TAKEN' }, unpaid]]);
  });

  it.each([
    ['a refund on Ethereum, which may still be mined', 'REFUND', 'ethereum', {}],
    ['one whose receipt is not final', 'SWEEP', 'partner', { minedAt: HEAD }],
    ['one before the rotation is final', 'DELIVERY', 'partner', { relayers: [former, present] }],
    ['one of a wallet that is the relayer again', 'DELIVERY', 'partner', { relayers: [present, former] }],
  ] as const)('stays: %s', async (_, purpose, side, given) => {
    expect(await end(purpose, side, given)).toEqual([]);
  });
});
