import { describe, expect, it } from '@jest/globals';
import type { IntentRecord, KnownTransfer, Operation } from '@causeway/store';
import { anIntent, anOperation } from '@causeway/store/test';
import { aHash, anAddressBook } from '@causeway/test-kit';
import type { Hex } from 'viem';
import { BindOriginService } from './bind-origin.service.js';

const terms = anIntent({ amount: 5n, outputAmount: 4n, fee: 1n });
const [TX, OTHER] = [aHash(), aHash()];
/** The wallet that replaced the intent's wallet. */
const PRESENT = `0x${'0e'.repeat(20)}`;
const HOUR_MS = 3_600_000;
const place = (txHash: Hex) => ({ txHash, logIndex: null, blockNumber: 7n, blockHash: aHash() });

interface Script {
  readonly operation?: Partial<Operation>;
  readonly intent?: Partial<IntentRecord>;
  /** The relayer wallet of both contracts; by default the intent's. */
  readonly relayer?: string;
  readonly known?: readonly Partial<KnownTransfer>[];
  /** The transactions on the node, with their nonces. */
  readonly nonces?: ReadonlyMap<Hex, bigint>;
  /** The payments of a mined transaction that the relayer has not read. */
  readonly mined?: { readonly kind: 'mined'; readonly nonce: bigint; readonly payments: readonly object[] };
}

/** The service on a scripted store and node, and the proposals it made. */
function service(script: Script) {
  const { operation = {}, intent = {}, known = [], nonces = new Map<Hex, bigint>() } = script;
  const proposed: (bigint | null)[] = [];
  const stored = anOperation(terms, { status: 'PENDING_ORIGIN_TX', origin: null, ...operation });
  const record = {
    sender: terms.sender,
    createdAt: new Date(0),
    acceptedAtBlock: 0n,
    judgedAtBlock: 0n,
    expiresAt: new Date(Date.now() + HOUR_MS),
    proposedOriginTxHash: null,
    proposedOriginNonce: null,
    relayerWallet: null,
    rejectedBy: null,
    ...intent,
  };
  const store = {
    operations: { findById: async () => stored },
    intents: {
      find: async () => record,
      findTransfers: async () =>
        known.map((each) => ({
          payer: terms.sender,
          amount: terms.amount,
          minedAt: new Date(1),
          blockNumber: 1n,
          pays: null,
          ...each,
        })),
      proposeOrigin: async (_: Hex, __: Hex, nonce: bigint | null) => proposed.push(nonce) > 0,
    },
  };
  const origins = {
    resolve: async (hash: Hex) => hash,
    read: async (hash: Hex) => ({ kind: 'not mined', nonce: nonces.get(hash) ?? null, ...script.mined }),
  };
  const wallet = anAddressBook().relayer.toLowerCase();
  const parameters = { read: async () => ({ relayer: script.relayer ?? wallet, isConfirmed: true }) };
  const configuration = { addressBook: anAddressBook() };
  const binding = new BindOriginService(store as never, configuration as never, parameters as never, origins as never);
  return {
    proposed,
    bind: (over = {}) => binding.bind({ intentId: terms.id, senderAddress: terms.sender, originTxHash: TX, ...over }),
  };
}

const paidBy = (txHash: Hex, status: Operation['status'] = 'CONFIRMING') => ({ status, origin: place(txHash) });
const equal = { id: aHash(), kind: 'INTENT', recipient: terms.recipient, outputAmount: terms.outputAmount } as const;
const mined = (payment: object) => {
  const payments = [{ payer: null, amount: 0n, minedAt: new Date(1), blockNumber: 1n, ...payment }];
  return { kind: 'mined', nonce: 1n, payments } as const;
};
const code = (name: string) => expect.objectContaining({ code: name });

describe('bind-origin', () => {
  it.each<[string, Script]>([
    ['a transaction that no node has yet', {}],
    ['a mined transaction that proves the payment', { mined: mined({ payer: terms.sender, amount: terms.amount }) }],
    ['a transfer that pays nothing yet', { known: [{}] }],
    ['a transfer that was read before the wallet was replaced', { known: [{}], relayer: PRESENT }],
    // The relayer paired it after the operation was read. The owner must not lose this race.
    ['a transfer that pays this intent', { known: [{ pays: { ...equal, id: terms.id, status: 'CONFIRMING' } }] }],
    ['one of several transfers of a bundle', { known: [{ pays: { ...equal, status: 'AWAITING_RELAY' } }, {}] }],
    ['the transfer of an equal intent', { known: [{ pays: { ...equal, status: 'CONFIRMING' } }] }],
    [
      'the transfer of an equal intent, while another transfer pays this one',
      { operation: paidBy(OTHER), known: [{ pays: { ...equal, status: 'CONFIRMING' } }] },
    ],
  ])('accepts %s', async (_, script) => {
    const { bind, proposed } = service(script);
    expect(await bind()).toMatchObject({ intentId: terms.id, originTxHash: TX });
    expect(proposed).toHaveLength(1);
  });

  it('returns the transaction that already pays, even after the window or a failure', async () => {
    for (const status of ['CONFIRMING', 'COMPLETED', 'FAILED'] as const) {
      const { bind, proposed } = service({ operation: paidBy(TX, status), intent: { expiresAt: new Date(0) } });
      expect(await bind()).toMatchObject({ originTxHash: TX, status });
      expect(proposed).toEqual([]);
    }
  });

  it('keeps the nonce of a transaction, and returns the one that replaced it', async () => {
    const first = service({ nonces: new Map([[TX, 3n]]) });
    await first.bind();
    expect(first.proposed).toEqual([3n]);
    const named = { proposedOriginTxHash: TX, proposedOriginNonce: 3n };
    const replaced = service({ operation: paidBy(OTHER), intent: named, nonces: new Map([[OTHER, 3n]]) });
    expect(await replaced.bind()).toMatchObject({ originTxHash: OTHER, status: 'CONFIRMING' });
    const another = service({ operation: paidBy(OTHER), intent: named, nonces: new Map([[OTHER, 4n]]) });
    await expect(another.bind()).rejects.toEqual(code('INTENT_ALREADY_BOUND'));
  });

  it.each<[string, Script, object]>([
    ['SENDER_MISMATCH', { operation: { status: 'EXPIRED' } }, { senderAddress: anAddressBook().relayer }],
    ['INTENT_EXPIRED', { operation: { status: 'EXPIRED' } }, {}],
    ['INTENT_EXPIRED', { intent: { expiresAt: new Date() } }, {}],
    ['INTENT_EXPIRED', { relayer: PRESENT }, {}],
    ['INTENT_NOT_PENDING', { operation: paidBy(OTHER, 'FAILED') }, {}],
    ['INTENT_ALREADY_BOUND', { operation: paidBy(OTHER) }, {}],
    ['INTENT_ALREADY_BOUND', { operation: paidBy(OTHER), known: [{}] }, {}],
    [
      'INTENT_ALREADY_BOUND',
      { operation: paidBy(OTHER, 'AWAITING_RELAY'), known: [{ pays: { ...equal, status: 'CONFIRMING' } }] },
      {},
    ],
    ['DUPLICATE_ORIGIN_TX', { known: [{ pays: { ...equal, status: 'AWAITING_RELAY' } }] }, {}],
    [
      'DUPLICATE_ORIGIN_TX',
      { known: [{ pays: { ...equal, recipient: anAddressBook().relayer, status: 'CONFIRMING' } }] },
      {},
    ],
    ['VALIDATION_ERROR', { mined: mined({}) }, {}],
    ['VALIDATION_ERROR', { mined: mined({ payer: terms.sender, amount: 4n }) }, {}],
    ['VALIDATION_ERROR', { known: [{ amount: 4n }] }, {}],
    ['VALIDATION_ERROR', { known: [{ payer: anAddressBook().relayer }] }, {}],
    ['VALIDATION_ERROR', { intent: { acceptedAtBlock: 2n }, known: [{}] }, {}],
  ])('refuses with %s: %j', async (name, script, over) => {
    const { bind, proposed } = service(script);
    await expect(bind(over)).rejects.toEqual(code(name));
    expect(proposed).toEqual([]);
  });
});
