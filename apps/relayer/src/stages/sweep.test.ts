import type { CallRequest } from '@causeway/chain';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { CallSubject, Fence, UnsweptTransfer } from '@causeway/store';
import { aHash, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pino } from 'pino';
import { encodeEventTopics, numberToHex, type Hex } from 'viem';
import { findCovered, SweepStage } from './sweep.js';
import { getTransferId } from './swept-transfers.js';

const address = anAddress('the relayer');
const former = anAddress('a former relayer');
const paidForWallets = [former];
const transfer = (amount: bigint, wallet = address): UnsweptTransfer => ({
  operationId: aHash(),
  wallet,
  txHash: aHash(),
  callIndex: 0,
  blockNumber: 1n,
  amount,
});
const sum = (transfers: readonly UnsweptTransfer[]) => transfers.reduce((all, { amount }) => all + amount, 0n);

describe('findCovered', () => {
  it.each([
    ['all that the wallet holds, even below its gas reserve', [5n, 6n], [], 0n, [5n, 6n]],
    ['those that fit when coin is missing', [5n, 6n, 3n], [], -6n, [5n, 3n]],
    ['none in a wallet that owes what they brought', [5n], [], -5n, []],
    ['those to a former wallet only above the gas reserve', [5n], [7n], 17n, [5n, 7n]],
    ['none of those without the reserve', [5n], [7n], 16n, [5n]],
  ])('finds %s', (_, own, others, free, expected) => {
    const transfers = [...others.map((amount) => transfer(amount, former)), ...own.map((amount) => transfer(amount))];
    const covered = findCovered(transfers, { address, free, gasReserve: 10n, paidForWallets });
    expect(covered.map(({ amount }) => amount)).toEqual(expected);
  });

  it('pays for no former wallet that operators do not list', () => {
    const terms = { address, free: 100n, gasReserve: 10n, paidForWallets: [anAddress('another former relayer')] };
    expect(findCovered([transfer(7n, former)], terms)).toEqual([]);
  });

  it('never takes more than available, and never the reserve for a former wallet', () => {
    const amounts = fc.array(fc.bigInt(1n, 50n), { maxLength: 8 });
    fc.assert(
      fc.property(amounts, amounts, fc.bigInt(-200n, 300n), fc.bigInt(0n, 100n), (own, others, free, gasReserve) => {
        const mine = own.map((amount) => transfer(amount));
        const transfers = [...others.map((amount) => transfer(amount, former)), ...mine];
        const covered = findCovered(transfers, { address, free, gasReserve, paidForWallets });
        const left = free + sum(mine) - sum(covered);
        if (covered.length > 0) expect(left >= 0n).toBe(true);
        if (covered.some(({ wallet }) => wallet === former)) expect(left >= gasReserve).toBe(true);
      }),
    );
  });
});

const FENCE: Fence = { name: 'relayer', token: 1n };
const BRIDGE = anAddress('BridgeMint');
/** The head is block 100, and a block is final after three. */
const FINAL = 98n;

/**
 * The stage between a scripted chain and store. The wallet holds no free coin, and some from blocks that are not read.
 */
function setUp(
  unswept: readonly UnsweptTransfer[],
  swept: readonly (UnsweptTransfer & { readonly in: bigint })[],
  unread = 0n,
) {
  const recorded: Hex[] = [];
  const moved: Hex[] = [];
  /** The ids of transfers that each search requested. */
  const searches: (readonly Hex[])[] = [];
  const clock = { at: 1_000_000, now: () => clock.at };
  const logs = swept.map((sweep, logIndex) => ({
    address: BRIDGE,
    topics: encodeEventTopics({
      abi: bridgeMintAbi,
      eventName: 'Swept',
      args: { transferId: getTransferId(PARTNER, sweep), amount: sweep.amount },
    }),
    data: '0x',
    blockHash: aHash(),
    transactionHash: aHash(),
    blockNumber: numberToHex(sweep.in),
    logIndex: numberToHex(logIndex),
  }));
  const client = {
    getBalance: async () => 10n,
    estimateGas: async () => 100_000n,
    call: async () => ({ data: '0x' }),
    request: async ({ params: [{ topics }] }: { params: [{ topics: [unknown, Hex[]] }] }) => {
      searches.push(topics[1]);
      return logs.filter((log) => topics[1].includes(log.topics[1] as Hex));
    },
  };
  const connection = { client, agree: async (read: (one: typeof client) => Promise<unknown>) => read(client) };
  const partner = { chainId: PARTNER, side: 'partner', bridge: BRIDGE, connection, confirmations: 3 };
  const isLeft = ({ operationId }: UnsweptTransfer) => !recorded.includes(operationId);
  const store = {
    halts: { list: async () => [], deliveries: async () => null },
    scan: { latestBlock: async () => ({ number: 100n }) },
    operations: { findByIds: async () => [], delayAll: async () => undefined },
    restore: { restoreSweep: async (_: Fence, sweep: { operationIds: Hex[] }) => recorded.push(...sweep.operationIds) },
    sweeps: {
      findUnswept: async () => unswept.filter(isLeft),
      keptBack: async () => ({ all: 0n, inFloat: 0n }),
    },
  };
  const lane = {
    look: async () => ({ balance: 10n + unread, head: 100n, books: { available: 0n } }),
    submit: async (_: unknown, [request]: CallRequest<CallSubject>[]) => {
      const subject = request?.subject;
      if (subject?.purpose === 'SWEEP') moved.push(...subject.transfers.map(({ operationId }) => operationId));
      return [{ kind: 'sent', hash: aHash() }];
    },
  };
  const stage = new SweepStage(
    { ethereum: { chainId: ETHEREUM }, partner } as never,
    store as never,
    { address } as never,
    { paidForWallets: [], spendingLimits: { partner: { gasReserve: 0n } } } as never,
    clock,
    pino({ level: 'silent' }),
    { of: () => lane, journal: () => ({}), wallet: () => ({ chainId: PARTNER, address }) } as never,
  );
  return { run: async () => stage.run(FENCE), recorded, moved, searches, clock };
}

describe('the stage sweep', () => {
  it('records the final sweep of a former wallet, and moves nothing for it', async () => {
    const old = transfer(7n, former);
    const { run, recorded, moved } = setUp([old], [{ ...old, in: FINAL }]);
    await run();
    expect(recorded).toEqual([old.operationId]);
    expect(moved).toEqual([]);
  });

  it('neither records nor repeats a sweep that is not final, and sweeps the others meanwhile', async () => {
    const [own, other] = [transfer(5n), transfer(6n)];
    const { run, recorded, moved } = setUp([own, other], [{ ...own, in: FINAL + 1n }]);
    await run();
    expect(recorded).toEqual([]);
    expect(moved).toEqual([other.operationId]);
  });

  it('spends no coin from blocks that are not read', async () => {
    const { run, moved } = setUp([transfer(5n)], [], 5n);
    await run();
    expect(moved).toEqual([]);
  });

  it('searches for sweeps of former wallets once a minute, and for its own each time', async () => {
    const [own, old] = [transfer(5n), transfer(7n, former)];
    const { run, searches, clock } = setUp([own, old], []);
    const [ownId, oldId] = [getTransferId(PARTNER, own), getTransferId(PARTNER, old)];
    await run();
    clock.at += 2_000;
    await run();
    clock.at += 58_000;
    await run();
    expect(searches).toEqual([[ownId, oldId], [ownId], [ownId, oldId]]);
  });
});
