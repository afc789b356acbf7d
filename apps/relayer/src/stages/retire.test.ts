import { describe, expect, it } from '@jest/globals';
import type { CallRequest, Submission } from '@causeway/chain';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { CallSubject, WaitingWithdrawals } from '@causeway/store';
import { aHash, anAddress, anAddressBook, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { pino } from 'pino';
import { decodeFunctionData, RpcRequestError } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import { RetireStage, retirementDueAtMs } from './retire.js';

const FENCE = { name: 'relayer', token: 1n };
const HEAD = 50n;
const book = anAddressBook();
const at = (ms: number) => new Date(ms);

/** How a stage differs from one that retires a withdrawal of 7 USDC units. */
interface Script {
  /** The wallet's balance at the newest block that was read. */
  readonly balance: bigint;
  /** The sum of all burns up to that block. */
  readonly unretired: bigint;
  /** The newest block that was read; null for none. */
  readonly head: bigint | null;
  readonly oldestSettledAt: Date;
  readonly retireAfterMs: number;
  readonly isHalted: boolean;
  readonly isFinal: boolean;
  readonly doesRevert: boolean;
  /** Pending calls. */
  readonly unmined: readonly object[];
  readonly submission: Submission;
}

const HASH = aHash();

/**
 * A stage on a scripted chain, with the amounts that it retires, its log and the times of its searches. `run` sets the
 * clock.
 */
function stageWith({
  balance = 9n,
  unretired = 9n,
  head = HEAD,
  oldestSettledAt = at(0),
  retireAfterMs = 1_000,
  isHalted = false,
  isFinal = true,
  doesRevert = false,
  unmined = [],
  submission = { kind: 'sent', hash: HASH, nonce: 0n, result: { kind: 'accepted' } },
}: Partial<Script> = {}) {
  const retired: unknown[] = [];
  const logged: unknown[] = [];
  const searches: number[] = [];
  let now = 0;
  const evidence = { txHash: aHash(), blockNumber: 9n, blockHash: aHash() };
  const waiting: WaitingWithdrawals = {
    burn: evidence,
    release: evidence,
    chainId: PARTNER,
    asset: 'USDC',
    operationIds: [aHash()],
    amount: 7n,
    oldestSettledAt,
    lastFailedAt: null,
  };
  const wallet = anAddress('relayer');
  const client = {
    readContract: async ({ blockNumber, args: [owner] }: { blockNumber: bigint; args: unknown[] }) =>
      blockNumber === HEAD && owner === wallet ? balance : 0n,
    estimateGas: async () => {
      if (doesRevert) throw new RpcRequestError({ body: {}, url: '', error: { code: 3, message: 'reverted' } });
      return 100_000n;
    },
    call: async () => ({ data: '0x' }),
  };
  const chain = (chainId: number) =>
    ({ chainId, confirmations: 3, connection: { client }, finality: { isFinal: async () => isFinal } }) as never;
  const store = {
    halts: { list: async () => (isHalted ? [{ chainId: PARTNER }] : []), deliveries: async () => null },
    scan: { latestBlock: async () => (head === null ? null : { number: head }) },
    retirements: {
      findWaiting: async (_: number, asset: string) => {
        if (asset !== 'USDC') return null;
        searches.push(now);
        return waiting;
      },
      unretiredAmount: async (_: number, __: string, blockNumber: bigint) => (blockNumber === HEAD ? unretired : 0n),
    },
  };
  const lane = {
    look: async () => ({ unmined }),
    submit: async (_: unknown, requests: CallRequest<CallSubject>[]) => {
      for (const { data } of requests) retired.push(decodeFunctionData({ abi: bridgeMintAbi, data }).args?.[1]);
      return requests.map(() => submission);
    },
  };
  const chains = { ethereum: chain(ETHEREUM) as BridgeChain, partner: chain(PARTNER) as BridgeChain };
  const stage = new RetireStage(
    chains,
    store as never,
    { address: wallet } as never,
    { addressBook: book, retireAfterMs } as never,
    { now: () => now },
    pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) }),
    { of: () => lane, journal: () => ({}) } as never,
  );
  const run = async (nowMs: number) => {
    now = nowMs;
    await stage.run(FENCE);
  };
  return { run, retired, logged, searches };
}

const WITHDRAWAL = { asset: 'USDC', amount: '7', withdrawals: 1 };

describe('the stage retire', () => {
  it('retires what waits, from a wallet that holds exactly the unretired burns', async () => {
    const { run, retired, logged } = stageWith();
    await run(1_000);
    expect(retired).toEqual([7n]);
    expect(logged).toMatchObject([{ ...WITHDRAWAL, txHash: HASH, msg: 'retirement broadcast' }]);
  });

  it('retires nothing of a token if the wallet holds one unit less, and logs it for the operator', async () => {
    const { run, retired, logged } = stageWith({ balance: 8n });
    await run(1_000);
    expect(retired).toEqual([]);
    const msg = expect.stringMatching(/^the wallet holds less than the unretired burns/);
    expect(logged).toMatchObject([{ ...WITHDRAWAL, balance: '8', unretired: '9', msg }]);
  });

  it.each<[string, Partial<Script>]>([
    ['before it is due', { oldestSettledAt: at(1) }],
    ['while a call is pending', { unmined: [{}] }],
    ['before a block was read', { head: null }],
    ['while a chain is halted', { isHalted: true }],
  ])('retires nothing %s', async (_, script) => {
    const { run, retired, logged } = stageWith(script);
    await run(1_000);
    expect(retired).toEqual([]);
    expect(logged).toEqual([]);
  });

  it.each<[string, Partial<Script>, string, unknown[]]>([
    ['the nodes do not confirm it', { isFinal: false }, 'the nodes do not confirm the burns or releases', []],
    ['its simulation fails', { doesRevert: true }, 'the simulated retirement failed', []],
    ['the wallet has no coin', { submission: { kind: 'rejected', reason: 'balance-short' } }, 'balance-short', [7n]],
  ])('logs that it postpones a retirement when %s', async (_, script, why, expected) => {
    const { run, retired, logged } = stageWith(script);
    await run(1_000);
    expect(retired).toEqual(expected);
    expect(logged).toMatchObject([{ ...WITHDRAWAL, msg: `retirement postponed: ${why}` }]);
  });

  it('logs nothing about a retirement that was not stored', async () => {
    const { run, logged } = stageWith({ submission: { kind: 'obsolete' } });
    await run(1_000);
    expect(logged).toEqual([]);
  });

  it.each([
    ['the wait', 2_000, 2_000],
    ['a minute when the wait is longer', 3_600_000, 60_000],
  ])('searches again after %s', async (_, retireAfterMs, pauseMs) => {
    const { run, searches } = stageWith({ retireAfterMs });
    for (const nowMs of [1_000, 1_000 + pauseMs - 1, 1_000 + pauseMs]) await run(nowMs);
    expect(searches).toEqual([1_000, 1_000 + pauseMs]);
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
