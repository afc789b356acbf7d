import { describe, expect, it } from '@jest/globals';
import { anAddressBook } from '@causeway/test-kit';
import { pino } from 'pino';
import { ReconcileGate } from './reconcile-gate.js';

const FENCE = { name: 'relayer', token: 1n };
/** The nonces that a node reports, mined and pending; null when it does not answer. */
type Report = readonly [mined: number, pending: number] | null;

/** A gate with scripted nodes of Ethereum; the partner chain has no transaction. */
function createGate({ quorum = 1, known = 0n, isEmpty = false } = {}) {
  const world = { reports: [[0, 0]] as Report[], open: null as string | null, seen: [] as bigint[], nowMs: 0 };
  const connect = (reports: () => readonly Report[]) => ({
    name: 'a chain',
    quorum,
    usable: () =>
      reports().map((report) => ({
        client: {
          getTransactionCount: async ({ blockTag }: { blockTag?: string }) => {
            if (report === null) throw new Error('no answer');
            return report[blockTag === 'pending' ? 1 : 0];
          },
        },
      })),
    agreedHead: async () => 9n,
    agreedBlock: async () => ({ timestampSeconds: 7n }),
  });
  const chains = {
    ethereum: { side: 'ethereum', chainId: 1, connection: connect(() => world.reports) },
    partner: { side: 'partner', chainId: 2, connection: connect(() => Array.from({ length: quorum }, () => [0, 0])) },
  };
  const store = {
    rebuild: { state: async () => (isEmpty ? ('empty' as const) : ('used' as const)) },
    reconciliations: {
      open: async () => (world.open === null ? null : { reason: world.open, readAt: null }),
      begin: async (_: typeof FENCE, reason: string) => void (world.open = reason),
      nonces: async ({ chainId }: { chainId: number }) => ({
        journal: 0n,
        read: 0n,
        known: chainId === 1 ? known : 0n,
      }),
      see: async ({ nonce }: { nonce: bigint }) => {
        const isHigher = nonce > (world.seen.at(-1) ?? 0n);
        if (isHigher) world.seen.push(nonce);
        return isHigher;
      },
    },
  };
  const gate = new ReconcileGate(
    chains as never,
    store,
    { addressBook: anAddressBook() },
    { now: () => world.nowMs },
    pino({ level: 'silent' }),
  );
  return { gate, world };
}

describe('ReconcileGate', () => {
  it.each<[string, Report]>([
    ['no transaction', [0, 0]],
    ['the known transactions', [3, 3]],
    ['fewer transactions than the journal, which were never sent', [1, 2]],
  ])('lets a relayer work whose wallet has %s', async (_, report) => {
    const { gate, world } = createGate({ known: 3n });
    world.reports = [report];
    expect([await gate.mayWork(FENCE), await gate.isClosed(), gate.waitsFor]).toEqual([true, false, null]);
  });

  it.each<[string, readonly Report[]]>([
    ['mined', [[4, 4]]],
    ['pending', [[3, 4]]],
    [
      'shown by one node alone',
      [
        [3, 3],
        [4, 4],
        [3, 3],
      ],
    ],
  ])('keeps a relayer waiting after an unknown transaction that is %s', async (_, reports) => {
    const { gate, world } = createGate({ known: 3n });
    world.reports = [...reports];
    expect(await gate.mayWork(FENCE)).toBe(false);
    expect(world).toMatchObject({ open: expect.stringContaining('1 on ethereum, from 3'), seen: [4n] });
    expect(gate.waitsFor).toMatch(/^the wallet has nonces that the database lacks: .* run relayer reconcile$/);
    expect(await gate.isClosed()).toBe(true);
    world.open = null;
    expect([await gate.isClosed(), gate.waitsFor]).toEqual([false, null]);
  });

  it('keeps a relayer waiting that took the lease while a reconciliation was opened and left open', async () => {
    const { gate, world } = createGate();
    world.open = 'an operator compares the database';
    expect([await gate.mayWork(FENCE), gate.waitsFor]).toEqual([false, world.open]);
  });

  it.each<[string, readonly Report[], boolean]>([
    [
      'invents a transaction',
      [
        [9, 9],
        [3, 3],
        [3, 3],
      ],
      true,
    ],
    [
      'hides transactions',
      [
        [0, 0],
        [3, 3],
        [3, 3],
      ],
      true,
    ],
    ['hides transactions while another is away', [[3, 3], [4, 4], null], false],
  ])('believes a quorum, while one node %s', async (_, reports, mayPay) => {
    const { gate, world } = createGate({ known: 3n, quorum: 2 });
    world.reports = [...reports];
    expect([await gate.mayWork(FENCE), gate.waitsFor, gate.maySign('ethereum')]).toEqual([true, null, mayPay]);
  });

  it('names the rebuild for an empty database', async () => {
    const { gate, world } = createGate({ isEmpty: true });
    world.reports = [[2, 2]];
    await gate.mayWork(FENCE);
    expect(gate.waitsFor).toMatch(/run relayer rebuild$/);
  });

  it('lets a relayer work that signs nothing for a chain of which too few nodes answer', async () => {
    const { gate, world } = createGate({ quorum: 2 });
    world.reports = [[1, 1], null];
    expect([await gate.mayWork(FENCE), world.open, gate.waitsFor, gate.isBlind]).toEqual([true, null, null, true]);
    expect([gate.maySign('ethereum'), gate.maySign('partner')]).toEqual([false, true]);
    world.reports = [
      [1, 1],
      [1, 1],
    ];
    expect([await gate.mayWork(FENCE), gate.isBlind]).toEqual([false, false]);
    expect(gate.waitsFor).toContain('1 on ethereum, from 0');
    expect([gate.maySign('ethereum'), gate.maySign('partner')]).toEqual([false, false]);
  });

  it('records that the nonce moves while it waits, at most every five seconds', async () => {
    const { gate, world } = createGate();
    world.reports = [[1, 1]];
    await gate.mayWork(FENCE);
    for (const [nowMs, nonce] of [
      [10_000, 2],
      [14_999, 3],
      [15_000, 4],
    ] as const) {
      Object.assign(world, { nowMs, reports: [[nonce, nonce]] });
      expect(await gate.isClosed()).toBe(true);
    }
    expect(world.seen).toEqual([1n, 2n, 4n]);
  });
});
