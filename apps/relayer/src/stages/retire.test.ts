import { describe, expect, it } from '@jest/globals';
import type { CallRequest } from '@causeway/chain';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { CallSubject, WaitingWithdrawals } from '@causeway/store';
import { aHash, anAddress, anAddressBook, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { pino } from 'pino';
import { decodeFunctionData } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import { RetireStage, retirementDueAtMs } from './retire.js';

const FENCE = { name: 'relayer', token: 1n };
const HEAD = 50n;
const book = anAddressBook();
const at = (ms: number) => new Date(ms);

/**
 * Runs the stage with a withdrawal of 7 USDC units that waits, and returns the amounts that it retires.
 *
 * @param balance of the wallet at the newest block that was read.
 * @param unretired the sum of all burns up to that block.
 */
async function retire(balance: bigint, unretired: bigint): Promise<unknown[]> {
  const requests: CallRequest<CallSubject>[] = [];
  const evidence = { txHash: aHash(), blockNumber: 9n, blockHash: aHash() };
  const waiting: WaitingWithdrawals = {
    burn: evidence,
    release: evidence,
    chainId: PARTNER,
    asset: 'USDC',
    operationIds: [aHash()],
    amount: 7n,
    oldestSettledAt: at(0),
    lastFailedAt: null,
  };
  const client = {
    readContract: async ({ blockNumber }: { blockNumber: bigint }) => (blockNumber === HEAD ? balance : 0n),
    estimateGas: async () => 100_000n,
    call: async () => ({ data: '0x' }),
  };
  const chain = (chainId: number) =>
    ({ chainId, confirmations: 3, connection: { client }, finality: { isFinal: async () => true } }) as never;
  const store = {
    halts: { list: async () => [], deliveries: async () => null },
    scan: { latestBlock: async () => ({ number: HEAD }) },
    retirements: {
      findWaiting: async (_: number, asset: string) => (asset === 'USDC' ? waiting : null),
      unretiredAmount: async (_: number, __: string, blockNumber: bigint) => (blockNumber === HEAD ? unretired : 0n),
    },
  };
  const lane = {
    look: async () => ({ unmined: [] }),
    submit: async (_: unknown, given: CallRequest<CallSubject>[]) => (requests.push(...given), []),
  };
  const chains = { ethereum: chain(ETHEREUM) as BridgeChain, partner: chain(PARTNER) as BridgeChain };
  const stage = new RetireStage(
    chains,
    store as never,
    { address: anAddress('relayer') } as never,
    { addressBook: book, retireAfterMs: 1_000 } as never,
    { now: () => 1_000 },
    pino({ level: 'silent' }),
    { of: () => lane, journal: () => ({}) } as never,
  );
  await stage.run(FENCE);
  return requests.map(({ data }) => decodeFunctionData({ abi: bridgeMintAbi, data }).args?.[1]);
}

describe('the stage retire', () => {
  it.each([
    ['retires what waits, from a wallet that holds exactly the unretired burns', 9n, 9n, [7n]],
    ['retires nothing of a token of which the wallet holds one unit less', 8n, 9n, []],
  ])('%s', async (_, balance, unretired, expected) => {
    expect(await retire(balance, unretired)).toEqual(expected);
  });
});

describe('retirementDueAtMs', () => {
  it.each([
    ['counts from the oldest completed withdrawal', at(5_000), null, 6_000],
    ['counts from the last failed retirement when that is later', at(5_000), at(9_000), 10_000],
    ['ignores a failed retirement before that', at(5_000), at(2_000), 6_000],
  ])('%s', (_, oldestSettledAt, lastFailedAt, expected) => {
    expect(retirementDueAtMs({ oldestSettledAt, lastFailedAt }, 1_000)).toBe(expected);
  });
});
