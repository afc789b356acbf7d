import { describe, expect, it, jest } from '@jest/globals';
import { anAddressBook } from '@causeway/test-kit';
import type { CommandContext } from '../command-context.js';
import { finishReconciliation } from './reconcile.js';

const QUIET_MS = 600_000;

/** A context whose wallet has these nonces on Ethereum; on the partner chain nothing ever happened. */
function createContext(over: { readAt?: Date | null; highest?: number; quietMs?: readonly [number, number] } = {}) {
  const { readAt = new Date(0), highest = 9, quietMs } = over;
  const connect = (nonce: number) => ({
    name: 'a chain',
    quorum: 1,
    usable: () => [{ client: { getTransactionCount: async () => nonce } }],
    agreedHead: async () => 9n,
    agreedBlock: async () => ({ timestampSeconds: 7n }),
  });
  const perform = jest.fn(async () => true);
  const see = jest.fn(async () => true);
  const printed: string[] = [];
  const context = {
    configuration: { addressBook: anAddressBook(), reconcileQuietMs: QUIET_MS },
    chains: {
      ethereum: { side: 'ethereum', chainId: 1, connection: connect(highest) },
      partner: { side: 'partner', chainId: 2, connection: connect(0) },
    },
    chainsChecked: Promise.resolve(),
    print: (line: string) => printed.push(line),
    store: {
      requests: { perform },
      reconciliations: {
        open: async () => (readAt === undefined ? null : { reason: 'a copy', readAt }),
        nonces: async ({ chainId }: { chainId: number }) =>
          chainId === 1 ? { journal: 5n, known: 9n, read: 9n } : { journal: 0n, known: 0n, read: 0n },
        quiet: async ({ chainId }: { chainId: number }) =>
          quietMs === undefined || chainId === 2 ? null : { byDatabaseMs: quietMs[0], byChainMs: quietMs[1] },
        see,
      },
    },
  } as unknown as CommandContext;
  return { context, perform, see, printed };
}

describe('relayer reconcile finish', () => {
  it.each<[string, Parameters<typeof createContext>[0]]>([
    ['that no unknown transaction was ever seen', {}],
    ['ten minutes after the last unknown transaction', { quietMs: [QUIET_MS, QUIET_MS] }],
  ])('ends a reconciliation %s, and records the nonces', async (_, over) => {
    const { context, perform, printed } = createContext(over);
    await finishReconciliation(context);
    expect(perform.mock.calls[0] as unknown).toEqual([
      {
        kind: 'finish-reconciliation',
        known: [
          { wallet: expect.objectContaining({ chainId: 1 }), nonce: 9n },
          { wallet: expect.objectContaining({ chainId: 2 }), nonce: 0n },
        ],
      },
      expect.objectContaining({ action: 'reconcile-finish', after: { nonces: { 1: '9', 2: '0' } } }),
    ]);
    expect(printed).toEqual([expect.stringContaining('has ended')]);
  });

  it.each<[string, Parameters<typeof createContext>[0], RegExp]>([
    ['before everything was read', { readAt: null }, /not read to the end: run `relayer reconcile`/],
    ['after a later transaction', { highest: 11 }, /2 transactions on ethereum .* from nonce 9: another relayer runs/],
    ["too early by the database's clock", { quietMs: [QUIET_MS - 1_000, QUIET_MS] }, /599 s ago.* Wait 1 s more/],
    ["too early by the chain's clock", { quietMs: [QUIET_MS, 0] }, /0 s ago.* Wait 600 s more/],
  ])('refuses %s, and changes nothing', async (_, over, message) => {
    const { context, perform, see } = createContext(over);
    await expect(finishReconciliation(context)).rejects.toThrow(message);
    expect(perform).not.toHaveBeenCalled();
    expect(see).toHaveBeenCalledTimes(over?.highest === undefined ? 0 : 1);
  });
});
