import { beforeEach, describe, expect, it } from '@jest/globals';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import type { OwedDelivery, SeenDelivery, SeenOpening } from '@causeway/store';
import { aHash, anAddress, anAddressBook, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { pino } from 'pino';
import { encodeAbiParameters, encodeEventTopics, type Hex } from 'viem';
import { RelayerMetrics } from '../metrics/relayer-metrics.js';
import { DeliveryWatch } from './delivery-watch.js';
import { SolvencyWatch } from './solvency-watch.js';
import { daysLeft } from './wallet-gauges.js';

// The parts of the watch on a scripted chain and store.

const book = anAddressBook();
const fence = { name: 'relayer', token: 1n };
const logger = pino({ level: 'silent' });

/** A release without an operation, as it was read, with its log as nodes have it. */
const DELIVERY: SeenDelivery = {
  chainId: ETHEREUM,
  txHash: aHash(),
  logIndex: 3,
  blockNumber: 90n,
  blockHash: aHash(),
  minedAt: new Date(1_000),
  name: 'Release',
  operationId: aHash(),
  args: {},
};
const RELEASED = { withdrawId: DELIVERY.operationId, token: anAddress('xcn'), recipient: anAddress('thief') };
const LOG = {
  logIndex: 3,
  topics: encodeEventTopics({ abi: bridgeLockAbi, eventName: 'Release', args: RELEASED }) as [Hex, ...Hex[]],
  data: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [900n, 1n]),
};

/** The behaviour of the scripted chain and store. */
let script: ReturnType<typeof aScript>;
beforeEach(() => {
  script = aScript();
});

function aScript() {
  return {
    nowMs: 0,
    /** The reasons of deliveries' halts. */
    halts: [] as string[],
    unjudged: [] as OwedDelivery[],
    openings: [] as SeenOpening[],
    deliveries: [] as OwedDelivery[],
    verdicts: [] as string[],
    unknown: [] as (SeenDelivery | SeenOpening)[],
    receipt: { status: 'success', blockHash: DELIVERY.blockHash, logs: [LOG] as object[] },
    disagree: false,
    blocksBehind: 0,
  };
}

function chain(side: 'ethereum' | 'partner', chainId: number) {
  const client = {
    getTransactionReceipt: async () => script.receipt,
  };
  const agree = async (read: (one: typeof client) => Promise<unknown>) => {
    if (script.disagree) throw new Error('the nodes disagree');
    return read(client);
  };
  return { side, chainId, bridge: anAddress(`bridge ${side}`), connection: { client, agree } };
}

const chains = { ethereum: chain('ethereum', ETHEREUM), partner: chain('partner', PARTNER) } as never;
const store = {
  scan: {
    progress: async () => ({ blocksBehind: script.blocksBehind }),
    latestBlock: async () => ({ number: 100n, timestamp: new Date(5_000) }),
  },
  verdicts: {
    unjudged: async (chainId: number) => (chainId === ETHEREUM ? script.unjudged : []),
    unjudgedOpenings: async (chainId: number) => (chainId === ETHEREUM ? script.openings : []),
    deliveriesFor: async () => script.deliveries,
    unknown: async () => script.unknown,
    record: async (_: unknown, __: number, verdict: string, deliveries: (SeenDelivery | SeenOpening)[]) => {
      if (verdict === 'UNKNOWN') script.unknown.push(...deliveries);
      if (deliveries.length > 0) script.verdicts.push(verdict);
      return deliveries.length;
    },
  },
  halts: {
    haltDeliveries: async (reason: string) => {
      script.halts.push(reason);
      return script.halts.length === 1;
    },
  },
  xcnTotals: { keep: async () => true },
} as never;
const configuration = { addressBook: book } as never;
const clock = { now: () => script.nowMs };

describe('DeliveryWatch', () => {
  const args = { recipient: RELEASED.recipient, token: RELEASED.token, amount: '900', fee: '1' };
  const seen = { ...DELIVERY, args: { ...args, withdrawId: DELIVERY.operationId } };
  const of = (owed: OwedDelivery['owed']) => ({ delivery: seen, owed, hasFailed: false, isRepeated: false });
  const run = () => new DeliveryWatch(chains, store, configuration, clock, logger, new RelayerMetrics()).run(fence);

  it('halts deliveries because of a delivery without an operation, and stores the verdict after that', async () => {
    script.unjudged = [of(null)];
    expect(await run()).toBe(true);
    expect(script.halts).toEqual([expect.stringContaining(`Unknown Release ${seen.operationId}`)]);
    expect(script.verdicts).toEqual(['UNKNOWN']);
  });

  it.each([
    ['the nodes disagree', () => (script.disagree = true)],
    ['the nodes have it in another block', () => (script.receipt.blockHash = aHash())],
    ['the nodes have another log there', () => (script.receipt.logs = [{ ...LOG, logIndex: 4 }])],
    [
      'the nodes have other arguments',
      () =>
        (script.receipt.logs = [
          { ...LOG, data: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [1n, 1n]) },
        ]),
    ],
    ['the transaction failed', () => (script.receipt.status = 'reverted')],
    ['a chain catches up', () => (script.blocksBehind = 1_000)],
  ])('stores no verdict when %s', async (_, change) => {
    script.unjudged = [of(null)];
    change();
    expect(await run()).toBe(false);
    expect(script).toMatchObject({ halts: [], verdicts: [] });
  });

  const opening: SeenOpening = {
    ...DELIVERY,
    blockNumber: 95n,
    logIndex: 4,
    name: 'IdReopened',
    args: { id: DELIVERY.operationId, count: '0' },
    ids: [DELIVERY.operationId],
  };
  const openingLog = {
    logIndex: 4,
    topics: encodeEventTopics({ abi: bridgeLockAbi, eventName: 'IdReopened', args: { id: DELIVERY.operationId } }),
    data: encodeAbiParameters([{ type: 'uint256' }], [0n]),
  };
  const terms = { asset: 'XCN', fee: 1n, destinationChainId: ETHEREUM, recipient: RELEASED.recipient } as const;

  it('halts deliveries when a number that was paid with its own terms is reopened', async () => {
    script.openings = [opening];
    script.receipt.logs = [openingLog];
    const xcn = { ...seen, args: { ...seen.args, token: book.ethereum.tokens.XCN.toLowerCase() } };
    script.deliveries = [{ ...of({ ...terms, outputAmount: 900n }), delivery: xcn }];
    expect(await run()).toBe(true);
    expect(script.halts).toEqual([expect.stringContaining(`Wrong IdReopened ${opening.operationId}`)]);
    expect(script.verdicts).toEqual(['UNKNOWN']);
  });

  it('allows the reopening of a number that was used up with other terms', async () => {
    script.openings = [opening];
    script.deliveries = [of({ ...terms, outputAmount: 7n })];
    expect(await run()).toBe(true);
    expect(script).toMatchObject({ halts: [], verdicts: ['MATCHED'] });
  });

  it('does not trust one node about a reopening', async () => {
    script.openings = [opening];
    const failed = { ...of({ ...terms, outputAmount: 7n }), hasFailed: true };
    script.deliveries = [failed];
    expect(await run()).toBe(false);
    expect(script).toMatchObject({ halts: [], verdicts: [] });
  });
});

describe('SolvencyWatch', () => {
  const backing = { asset: 'USDC' as const, locked: 10n, outstanding: 10n, ethereumBlock: 1n, partnerBlock: 1n };
  const figures = { ...backing };
  let block = 1n;
  const reader = {
    blocks: async () => ({ partner: { number: block }, at: new Date(0) }),
    xcnTotals: async () => ({ minted: 0n, withdrawn: 0n }),
    read: async (asset: string) => (asset === 'USDC' ? { ...figures } : { ...backing, asset }),
  };
  let watch: SolvencyWatch;
  const next = () => {
    block += 1n;
    return watch.run(fence);
  };
  beforeEach(() => {
    Object.assign(figures, backing);
    watch = new SolvencyWatch(reader as never, store, logger, new RelayerMetrics());
  });

  it('halts deliveries when an asset is short at two consecutive blocks', async () => {
    expect(await next()).toEqual([]);
    figures.locked = 9n;
    expect(await next()).toEqual([]);
    expect(await watch.run(fence)).toEqual([]);
    expect(script.halts).toEqual([]);
    expect(await next()).toMatchObject([{ asset: 'USDC' }]);
    expect(script.halts).toEqual([expect.stringContaining('USDC is short of 1')]);
  });

  it('resets as soon as the asset is backed', async () => {
    figures.locked = 9n;
    await next();
    figures.locked = 10n;
    expect(await next()).toEqual([]);
    figures.locked = 9n;
    expect(await next()).toEqual([]);
    expect(script.halts).toEqual([]);
  });
});

describe('daysLeft', () => {
  it('is infinite without an outflow', () => {
    expect(daysLeft(100n, null)).toBe(Infinity);
    expect(daysLeft(100n, 0n)).toBe(Infinity);
    expect(daysLeft(100n, 40n)).toBe(2.5);
  });
});
