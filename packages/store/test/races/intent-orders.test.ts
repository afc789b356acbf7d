import { describe, expect, it } from '@jest/globals';
import { PARTNER } from '@causeway/test-kit';
import type { OperationTerms, ScannedBlock, TransferKey } from '../../src/index.js';
import { hold, untilEndedOrBlocked } from '../interleave.js';
import { useStore } from '../temporary-store.js';
import { anIntent, anOrder, aTransfer } from '../../src/test/rows.js';

// Three writers of an intent: its client names a transaction, the relayer binds a transfer, and the relayer expires it.
// They run in every order, sequentially and waiting for each other at every lock.

const t = useStore();

const WINDOW_END = new Date(1_900_000_000_000);
const AFTER = new Date(WINDOW_END.getTime() + 1);

type Writer = 'name' | 'pair' | 'expire';
const ORDERS: readonly (readonly Writer[])[] = [
  ['name', 'pair', 'expire'],
  ['name', 'expire', 'pair'],
  ['pair', 'name', 'expire'],
  ['pair', 'expire', 'name'],
  ['expire', 'name', 'pair'],
  ['expire', 'pair', 'name'],
];

/** An intent whose window has closed on the chain, and a transfer for it, if one was mined. */
interface Scene {
  readonly terms: OperationTerms;
  readonly key: TransferKey;
  readonly newest: ScannedBlock;
}

/** @param minedAt when the transfer was mined; null for none. */
async function scene(minedAt: Date | null): Promise<Scene> {
  const terms = anIntent();
  await t.store.intents.register(terms, anOrder(terms, { expiresAt: WINDOW_END }));
  const transfer = aTransfer({ payer: terms.sender, amount: terms.amount });
  if (minedAt !== null) await t.mine(PARTNER, { transfers: [transfer], timestamp: minedAt });
  const newest = await t.mine(PARTNER, { timestamp: AFTER });
  return { terms, key: { chainId: PARTNER, txHash: transfer.txHash, asset: 'XCN', callIndex: 0 }, newest };
}

const write = ({ terms, key, newest }: Scene): Record<Writer, () => Promise<boolean>> => ({
  name: async () => t.store.intents.proposeOrigin(terms.id, key.txHash),
  pair: async () => t.store.intents.bind(t.fence, key, terms.id),
  expire: async () => t.store.intents.expire(t.fence, terms.id, newest),
});

/** Rows at which writers can be made to wait. */
const GATES: Readonly<Record<string, (scene: Scene) => [query: string, value: string]>> = {
  operation: ({ terms }) => ['SELECT 1 FROM operation WHERE id = $1 FOR UPDATE', terms.id],
  intent: ({ terms }) => ['SELECT 1 FROM intent WHERE id = $1 FOR UPDATE', terms.id],
  recipient: ({ terms }) => ['SELECT 1 FROM party_counter WHERE address = $1 FOR UPDATE', terms.recipient],
  history: ({ terms }) => ['SELECT 1 FROM operation_party WHERE operation_id = $1 FOR UPDATE', terms.id],
  transfer: ({ key }) => ['SELECT 1 FROM inbound_transfer WHERE tx_hash = $1 FOR UPDATE', key.txHash],
};

/** Starts the writers in this order, each when the previous one has ended or waits, and returns their results. */
async function inOrder(order: readonly Writer[], of: Scene, gate: string | null): Promise<Record<Writer, boolean>> {
  const [query, value] = gate === null ? [] : GATES[gate]!(of);
  const row = query === undefined ? null : await hold(t.sql, query, [value]);
  const writers = write(of);
  const begun: [Writer, Promise<boolean>][] = [];
  const seen = { waiting: 0 };
  for (const writer of order) {
    const step = writers[writer]();
    step.finally(() => (seen.waiting -= 1)).catch(() => undefined);
    begun.push([writer, step]);
    await untilEndedOrBlocked(t.sql, step, seen.waiting);
    seen.waiting += 1;
  }
  await row?.release();
  const results = await Promise.all(begun.map(async ([writer, step]) => [writer, await step] as const));
  return Object.fromEntries(results) as Record<Writer, boolean>;
}

/** The outcome of the transfer: the intent that it pays, and whether it will be refunded. */
async function outcome({ terms, key }: Scene) {
  const { status, origin } = await t.operation(terms);
  const [transfer] = await t.store.intents.findTransfers(key.chainId, key.txHash);
  const refundable = await t.store.refunds.findUnmatched(PARTNER, (await t.store.scan.cursor(PARTNER))!.nextBlock);
  return {
    status,
    paidBy: origin?.txHash ?? null,
    pays: transfer?.pays?.id ?? null,
    isSentBack: refundable.some((arrival) => arrival.key.txHash === key.txHash),
  };
}

const LATE = [['a transfer that was mined too late, which is refunded', AFTER]] as const;
const NONE = [['no transfer', null]] as const;

const cases = ORDERS.flatMap((order) =>
  [null, ...Object.keys(GATES)].map((gate) => [order.join(', '), gate ?? 'nothing', order, gate] as const),
);

describe.each(cases)('%s, while %s is locked', (_order, _gate, order, gate) => {
  it('is paid by a transfer that was mined in time, and never expires', async () => {
    const of = await scene(WINDOW_END);
    const { name, pair, expire } = await inOrder(order, of, gate);
    expect({ name, pair, expire }).toEqual({ name: true, pair: true, expire: false });
    const { terms, key } = of;
    expect(await outcome(of)).toEqual({ status: 'CONFIRMING', paidBy: key.txHash, pays: terms.id, isSentBack: false });
  });

  it.each([...LATE, ...(gate === 'transfer' ? [] : NONE)])('expires with %s', async (_name, minedAt) => {
    const of = await scene(minedAt);
    const { name, pair, expire } = await inOrder(order, of, gate);
    expect({ pair, expire }).toEqual({ pair: false, expire: true });
    // Without a lock in between, the client learns that it was too late.
    if (gate === null) expect(name).toBe(order.indexOf('name') < order.indexOf('expire'));
    expect(await outcome(of)).toEqual({ status: 'EXPIRED', paidBy: null, pays: null, isSentBack: minedAt !== null });
  });
});
