import { describe, expect, it } from '@jest/globals';
import { FenceLostError, type UnboundTransfer } from '@causeway/store';
import { aBlock, aHash, anAddressBook, PARTNER } from '@causeway/test-kit';
import type { Hex } from 'viem';
import { BindStage, planBindings } from './bind.js';

const FENCE = { name: 'relayer', token: 1n };
const [FIRST, SECOND, THIRD] = [aHash(), aHash(), aHash()];
const candidate = (id: Hex, proposed = false) => ({ id, proposed });
const transfer = (...candidates: UnboundTransfer['candidates']): UnboundTransfer => ({
  key: { chainId: PARTNER, txHash: aHash(), asset: 'XCN', callIndex: 0 },
  candidates,
});

/** The stage on a scripted store. `refused`: ids that another step came first for; `broken`: ids that fail. */
function stage(script: {
  unbound?: UnboundTransfer[];
  closed?: Hex[];
  refused?: Hex[];
  broken?: ReadonlyMap<Hex, Error>;
  isUnread?: boolean;
  isUnconfirmed?: boolean;
  /** The block up to which the wallet is accounted for; by default the newest one. */
  accounted?: bigint | null;
}) {
  const written: string[] = [];
  const write = (what: string) => async (id: Hex) => {
    const failure = script.broken?.get(id);
    if (failure !== undefined) throw failure;
    if (script.refused?.includes(id)) return false;
    written.push(`${what} ${id}`);
    return true;
  };
  const [bind, expire] = [write('bind'), write('expire')];
  const newest = aBlock(7n);
  const accounted = script.accounted === undefined ? newest.number : script.accounted;
  const store = {
    intents: {
      findUnbound: async () => script.unbound ?? [],
      bind: async (_: unknown, __: unknown, id: Hex) => bind(id),
      findClosedWindows: async (_: number, time: Date) => (time === newest.timestamp ? (script.closed ?? []) : []),
      expire: async (_: unknown, id: Hex) => expire(id),
    },
    scan: {
      latestBlock: async () => (script.isUnread ? null : newest),
      blockUntil: async (_: number, number: bigint) => aBlock(number, { timestamp: new Date(0) }),
    },
    audits: { last: async () => (accounted === null ? null : { blockNumber: accounted, balance: 0n, nonce: 0n }) },
  };
  const agreed = { number: newest.number, parentHash: aHash(), timestampSeconds: 0n };
  const finality = { blockAt: async () => ({ ...agreed, hash: script.isUnconfirmed ? aHash() : newest.hash }) };
  const chains = { partner: { chainId: PARTNER, finality } };
  const bindStage = new BindStage(chains, store, { addressBook: anAddressBook() }, { info: () => undefined });
  return { run: () => bindStage.run(FENCE), written };
}

describe('planBindings', () => {
  it.each<[string, UnboundTransfer['candidates'], Hex | null]>([
    ['the only intent', [candidate(FIRST)], FIRST],
    ['the one with a proposed origin, among several', [candidate(FIRST), candidate(SECOND, true)], SECOND],
    [
      'the first of several that propose it',
      [candidate(FIRST), candidate(SECOND, true), candidate(THIRD, true)],
      SECOND,
    ],
    ['nothing instead of a guess', [candidate(FIRST), candidate(SECOND)], null],
    ['nothing without a candidate', [], null],
  ])('chooses %s', (_, candidates, expected) => {
    const unbound = transfer(...candidates);
    expect(planBindings([unbound])).toEqual(expected === null ? [] : [{ key: unbound.key, intentId: expected }]);
  });
});

describe('the stage bind', () => {
  it('binds transfers and expires intents, and reports that it wrote', async () => {
    const { run, written } = stage({ unbound: [transfer(candidate(FIRST))], closed: [SECOND] });
    expect(await run()).toBe(true);
    expect(written).toEqual([`bind ${FIRST}`, `expire ${SECOND}`]);
  });

  it.each([
    ['there is nothing to do', {}],
    ['other steps came first', { unbound: [transfer(candidate(FIRST))], closed: [SECOND], refused: [FIRST, SECOND] }],
    ['no block was read: no time is known', { closed: [SECOND], isUnread: true }],
    ['the wallet is not accounted for: it may have been paid', { closed: [SECOND], accounted: null }],
    ['the account has not come to the block that closed the window', { closed: [SECOND], accounted: 6n }],
    ['the quorum has another newest block', { closed: [SECOND], isUnconfirmed: true }],
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
