import { describe, expect, it } from '@jest/globals';
import { QuorumError } from '@causeway/chain';
import { FenceLostError, type UnboundTransfer } from '@causeway/store';
import { aBlock } from '@causeway/store/test';
import { aHash, anAddressBook, PARTNER } from '@causeway/test-kit';
import type { Logger } from 'pino';
import type { Address, Hex, PublicClient } from 'viem';
import { BindStage, planBindings } from './bind.js';

const book = anAddressBook();
const FENCE = { name: 'relayer', token: 1n };
const [FIRST, SECOND, THIRD] = [aHash(), aHash(), aHash()];
const candidate = (id: Hex, by: { isNamed?: boolean; isProposed?: boolean } = {}) => ({
  id,
  isNamed: false,
  isProposed: false,
  ...by,
});
const [named, proposed] = [{ isNamed: true }, { isProposed: true }];
const transfer = (...candidates: UnboundTransfer['candidates']): UnboundTransfer => ({
  key: { chainId: PARTNER, txHash: aHash(), asset: 'XCN', callIndex: 0 },
  candidates,
});

/** The stage on a scripted store. `refused`: ids that another step handled first; `broken`: ids that fail. */
function stage(script: {
  unbound?: UnboundTransfer[];
  exchanges?: Hex[];
  closed?: Hex[];
  refused?: Hex[];
  broken?: ReadonlyMap<Hex, Error>;
  /** Open intents whose answers named another wallet, and the nodes' answer about BridgeMint's wallet. */
  ofOthers?: Hex[];
  walletOnChain?: Address | Error;
  isUnread?: boolean;
  isUnconfirmed?: boolean;
  /** The block up to which the wallet is accounted for; default: the newest one. */
  accounted?: bigint | null;
}) {
  const written: string[] = [];
  const logged: [Hex, string][] = [];
  const expiring: Hex[] = [];
  let timesAsked = 0;
  const write = (what: string) => async (id: Hex) => {
    const failure = script.broken?.get(id);
    if (failure !== undefined) throw failure;
    if (script.refused?.includes(id)) return false;
    written.push(`${what} ${id}`);
    return true;
  };
  const [bind, exchange, expire] = [write('bind'), write('exchange'), write('expire')];
  const final = aBlock(7n);
  const accounted = script.accounted === undefined ? final.number + 9n : script.accounted;
  const store = {
    intents: {
      findUnbound: async () => script.unbound ?? [],
      bind: async (_: unknown, __: unknown, id: Hex) => bind(id),
      findExchanges: async () => (script.exchanges ?? []).map((id) => ({ id, key: transfer().key })),
      exchange: async (_: unknown, __: unknown, id: Hex) => exchange(id),
      findClosedWindows: async (_: number, time: Date) => (time === final.timestamp ? (script.closed ?? []) : []),
      findOfOtherWallets: async (_: number, wallet: Address) =>
        wallet === book.relayer.toLowerCase() ? (script.ofOthers ?? []) : [],
      expire: async (_: unknown, id: Hex, block: unknown, wallet: Address | null = null) => {
        expiring.push(id);
        const isDue = script.closed?.includes(id) || wallet === book.relayer.toLowerCase();
        return block === final && isDue ? expire(id) : false;
      },
    },
    scan: {
      blockBelow: async (_: number, below: bigint) => {
        if (below <= final.number) return aBlock(below - 1n, { timestamp: new Date(0) });
        return script.isUnread || below !== final.number + 1n ? null : final;
      },
    },
    audits: { last: async () => (accounted === null ? null : { blockNumber: accounted, balance: 0n, nonce: 0n }) },
  };
  const finality = {
    recentHead: async () => final.number + 5n,
    isFinal: async ({ blockHash }: { blockHash: Hex }) => !script.isUnconfirmed && blockHash === final.hash,
    blockAt: async () => null,
  };
  const client = {
    readContract: async ({ blockNumber }: { blockNumber: bigint }) =>
      blockNumber === final.number ? (script.walletOnChain ?? book.relayer) : null,
  } as unknown as PublicClient;
  const agree = async <T>(read: (of: PublicClient) => Promise<T>) => {
    timesAsked += 1;
    if (script.walletOnChain instanceof Error) throw script.walletOnChain;
    return read(client);
  };
  const chains = { partner: { chainId: PARTNER, confirmations: 6, finality, connection: { agree } } };
  const info = ({ operationId }: { operationId: Hex }, message: string) => void logged.push([operationId, message]);
  const bindStage = new BindStage(chains, store, { addressBook: book }, { info } as Pick<Logger, 'info'>);
  return { run: () => bindStage.run(FENCE), written, logged, expiring, countAsked: () => timesAsked };
}

describe('planBindings', () => {
  it.each<[string, UnboundTransfer['candidates'][], (Hex | null)[]]>([
    ['the only intent', [[candidate(FIRST)]], [FIRST]],
    ['the oldest of equal intents', [[candidate(FIRST), candidate(SECOND)]], [FIRST]],
    [
      'the intent for which a client named the transaction',
      [[candidate(FIRST), candidate(SECOND, proposed)]],
      [SECOND],
    ],
    [
      'the intent that the transfer itself names, whatever clients name',
      [[candidate(FIRST), candidate(SECOND, proposed), candidate(THIRD, named)]],
      [THIRD],
    ],
    [
      'the first of several intents that clients named',
      [[candidate(FIRST, proposed), candidate(SECOND, proposed)]],
      [FIRST],
    ],
    [
      'each intent once, and leaves the named one to the transfer that names it',
      [
        [candidate(FIRST), candidate(SECOND)],
        [candidate(FIRST, named), candidate(SECOND)],
        [candidate(FIRST), candidate(SECOND)],
      ],
      [SECOND, FIRST, null],
    ],
    ['nothing without a candidate', [[]], [null]],
  ])('chooses %s', (_, candidates, expected) => {
    const unbound = candidates.map((each) => transfer(...each));
    const wanted = unbound.flatMap(({ key }, index) => {
      const intentId = expected[index] ?? null;
      return intentId === null ? [] : [{ key, intentId }];
    });
    expect(planBindings(unbound)).toEqual(wanted);
  });
});

describe('the stage bind', () => {
  it('binds and exchanges transfers, expires intents, and reports that it wrote', async () => {
    const { run, written } = stage({ unbound: [transfer(candidate(FIRST))], exchanges: [THIRD], closed: [SECOND] });
    expect(await run()).toBe(true);
    expect(written).toEqual([`bind ${FIRST}`, `exchange ${THIRD}`, `expire ${SECOND}`]);
  });

  it.each<[string, Parameters<typeof stage>[0], string]>([
    ['binds a transfer', { unbound: [transfer(candidate(FIRST))] }, 'transfer bound to its intent'],
    ['exchanges a transfer', { exchanges: [FIRST] }, 'transfer given to the equal intent that names it'],
    ['expires an intent', { closed: [FIRST] }, 'intent expired without a transfer'],
  ])('reports and logs that it %s', async (_, script, message) => {
    const { run, logged } = stage(script);
    expect(await run()).toBe(true);
    expect(logged).toEqual([[FIRST, message]]);
  });

  it('expires no intent of a replaced wallet while the nodes disagree about the current one', async () => {
    const walletOnChain = new QuorumError('partner', 2, []);
    const { run, written, expiring } = stage({ ofOthers: [FIRST], closed: [SECOND], walletOnChain });
    expect(await run()).toBe(true);
    expect([written, expiring]).toEqual([[`expire ${SECOND}`], [SECOND]]);
    const broken = stage({ ofOthers: [FIRST], walletOnChain: new TypeError('a defect') });
    await expect(broken.run()).rejects.toThrow('a defect');
  });

  it('reads the wallet only when an open intent named another', async () => {
    const [without, withOne] = [stage({ closed: [SECOND] }), stage({ ofOthers: [FIRST] })];
    for (const { run } of [without, withOne]) await run();
    expect([without.countAsked(), withOne.countAsked()]).toEqual([0, 1]);
  });

  it('expires intents of a replaced wallet at the first final block after the rotation', async () => {
    const before = stage({ ofOthers: [FIRST], walletOnChain: `0x${'0e'.repeat(20)}` });
    expect([await before.run(), before.written]).toEqual([false, []]);
    const after = stage({ ofOthers: [FIRST], closed: [SECOND] });
    expect([await after.run(), after.written]).toEqual([true, [`expire ${SECOND}`, `expire ${FIRST}`]]);
  });

  it.each([
    ['there is nothing to do', {}],
    [
      'other steps were first',
      {
        unbound: [transfer(candidate(FIRST))],
        exchanges: [THIRD],
        closed: [SECOND],
        refused: [FIRST, SECOND, THIRD],
      },
    ],
    ['no final block was read, so that no time is known', { closed: [SECOND], isUnread: true }],
    ['the quorum has another final block', { closed: [SECOND], isUnconfirmed: true }],
    ['the wallet is not accounted for, so that it may have been paid', { closed: [SECOND], accounted: null }],
    ['the account has not reached the block that closed the window', { closed: [SECOND], accounted: 6n }],
  ])('reports no write when %s', async (_, script) => {
    const { run, written } = stage(script);
    expect(await run()).toBe(false);
    expect(written).toEqual([]);
  });

  it('binds the others when one fails', async () => {
    const broken = new Map([[FIRST, new Error('of the first')]]);
    const { run, written } = stage({ unbound: [transfer(candidate(FIRST)), transfer(candidate(SECOND))], broken });
    await expect(run()).rejects.toThrow('of the first');
    expect(written).toEqual([`bind ${SECOND}`]);
  });

  it('stops when the lease is lost', async () => {
    const broken = new Map([[FIRST, new FenceLostError(FENCE)]]);
    const { run, written } = stage({ unbound: [transfer(candidate(FIRST)), transfer(candidate(SECOND))], broken });
    await expect(run()).rejects.toThrow(FenceLostError);
    expect(written).toEqual([]);
  });
});
