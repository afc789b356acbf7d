import { describe, expect, it } from '@jest/globals';
import { NodeUnavailableError } from '@causeway/chain';
import type { Fence, Refund, UnjournaledTransaction } from '@causeway/store';
import { aHash, anAddress, anAddressBook } from '@causeway/test-kit';
import { zeroAddress, type Address, type Hex } from 'viem';
import { UnjournaledPayments } from './unjournaled-payments.js';

const FENCE: Fence = { name: 'relayer', token: 1n };
const book = anAddressBook();
const wallet = { chainId: 31_337, address: anAddress('relayer') };
const recipient = anAddress();
const refund = { id: aHash(), asset: 'ETH', amount: 1_000n, recipient } as Refund;
const [HEAD, ARRIVAL] = [110n, 50n];

/** A transaction of the wallet in a block. Its nonce is its index in the list. */
interface Sent {
  readonly block: bigint;
  readonly to?: Address;
  readonly value?: bigint;
  readonly data?: Hex;
}

interface Script {
  readonly sent?: readonly Sent[];
  /** The nonces of calls in the journal, and of calls that are still pending. */
  readonly journal?: readonly number[];
  readonly pendingCalls?: readonly number[];
  readonly inPool?: number;
  readonly lacksState?: boolean;
  readonly name?: Partial<UnjournaledTransaction>;
}

/**
 * Searches for a payment of the refund; a transaction is final after three blocks. Returns the obstacle and the writes.
 */
async function search({ sent = [], journal = [], pendingCalls = [], inPool = 0, ...script }: Script) {
  const listed = new Map<bigint, UnjournaledTransaction>();
  const restored: object[] = [];
  const hashes = sent.map(() => aHash());
  const blockHash = aHash();
  const client = {
    getTransactionCount: async ({ blockNumber, blockTag }: { blockNumber?: bigint; blockTag?: string }) => {
      if (blockTag === 'pending') return sent.length + inPool;
      if (script.lacksState === true && blockNumber! < HEAD - 10n) throw new NodeUnavailableError('missing trie node');
      return sent.filter(({ block }) => block <= blockNumber!).length;
    },
    getBlock: async ({ blockNumber }: { blockNumber: bigint }) => ({
      transactions: sent.flatMap(({ block }, nonce) =>
        block === blockNumber ? [{ from: wallet.address, nonce, hash: hashes[nonce] }] : [],
      ),
    }),
    getTransactionReceipt: async ({ hash }: { hash: Hex }) => {
      const { block, to = recipient } = sent[hashes.indexOf(hash)]!;
      const place = { blockNumber: block, blockHash, logs: [] };
      return { ...place, transactionHash: hash, from: wallet.address, to, status: 'success' };
    },
    getTransaction: async ({ hash }: { hash: Hex }) => {
      const { value = 0n, data = '0x' } = sent[hashes.indexOf(hash)]!;
      return { value, input: data };
    },
  };
  const connection = {
    client,
    agree: (read: (one: typeof client) => Promise<unknown>) => read(client),
    agreedHead: async () => HEAD,
    agreedBlock: async () => ({ hash: blockHash, timestampSeconds: 7n }),
  };
  const store = {
    journal: { nextNonce: async () => BigInt(Math.max(-1, ...journal, ...pendingCalls) + 1) },
    unjournaled: {
      unknownNonces: async (_: unknown, start: bigint, end: bigint) =>
        Array.from({ length: Number(end - start) }, (__, index) => Number(start) + index)
          .filter((nonce) => !journal.includes(nonce) && !listed.has(BigInt(nonce)))
          .map((nonce) => ({ nonce: BigInt(nonce), isPending: pendingCalls.includes(nonce) })),
      add: async (_: Fence, __: unknown, each: UnjournaledTransaction) =>
        void listed.set(each.nonce, { ...each, explanation: null, ...script.name }),
      paymentsTo: async () =>
        [...listed.values()].filter(
          (each) =>
            each.refundId === refund.id ||
            (each.payment?.recipient === recipient && each.refundId === null && each.explanation === null),
        ),
    },
    restore: { restoreRefund: async (_: Fence, paid: object) => restored.push(paid) > 0 },
  };
  const chain = { side: 'ethereum', connection, confirmations: 3, finality: { head: async () => HEAD } };
  const payments = new UnjournaledPayments(store as never, book);
  const obstacle = await payments.findObstacle(FENCE, chain as never, wallet, refund, ARRIVAL);
  return { obstacle, restored, listed: [...listed.keys()] };
}

describe('the payment of a refund that the journal may have lost', () => {
  it('is allowed while the journal has every transaction of the wallet', async () => {
    const sent = [{ block: 60n, value: 990n }];
    expect(await search({ sent, journal: [0] })).toEqual({ obstacle: null, restored: [], listed: [] });
  });

  it('was made by a transaction with its id: the refund is completed with the paid amount', async () => {
    const sent = [{ block: 40n }, { block: 60n }, { block: 61n, value: 990n, data: refund.id }];
    const { obstacle, restored, listed } = await search({ sent, journal: [1] });
    expect(obstacle).toMatch(/^the wallet has already paid it, in 0x/);
    expect(restored).toMatchObject([{ refund, recipient, amount: 990n, settledAt: new Date(7_000) }]);
    // The first is older than the transfer.
    expect(listed).toEqual([2n]);
  });

  it.each<[string, readonly Sent[]]>([
    ['coin without an id', [{ block: 60n, value: 990n }]],
    ['its id with one wei', [{ block: 60n, value: 1n, data: refund.id }]],
    ['its id to a stranger', [{ block: 60n, to: anAddress(), value: 990n, data: refund.id }]],
  ])('waits for an operator because of %s', async (_, sent) => {
    const { obstacle, restored } = await search({ sent });
    expect(obstacle).toMatch(/may have paid it: name it with relayer name 0$/);
    expect(restored).toEqual([]);
  });

  it('is allowed, or completed, depending on how an operator names the transaction', async () => {
    const sent = [{ block: 60n, value: 990n }];
    expect(await search({ sent, name: { explanation: 'a gift' } })).toMatchObject({ obstacle: null, restored: [] });
    const named = await search({ sent, name: { explanation: 'in the books', refundId: refund.id } });
    expect([named.obstacle, named.restored.length]).toEqual([expect.stringMatching(/already paid it/), 1]);
  });

  it.each<[string, Sent]>([
    ['more than the transferred amount', { block: 60n, value: 1_001n }],
    ['another recipient', { block: 60n, to: anAddress(), value: 990n }],
    ['another refund', { block: 60n, value: 990n, data: aHash() }],
    ['a token', { block: 60n, to: zeroAddress, data: `0xa9059cbb${'0'.repeat(128)}` }],
    ['a call of the bridge', { block: 60n, value: 990n, data: '0x12345678' }],
  ])('is allowed despite %s', async (_, sent) => {
    expect(await search({ sent: [sent] })).toMatchObject({ obstacle: null, listed: [0n] });
  });

  it.each<[string, Script]>([
    ['unjournaled transaction that is not final', { sent: [{ block: 109n }] }],
    ['mined call whose end is unknown', { sent: [{ block: 60n }], pendingCalls: [0] }],
    ['unmined call from before the start', { pendingCalls: [0] }],
    ['transaction in the pool of a node', { inPool: 1 }],
  ])('waits for a %s', async (_, script) => {
    expect((await search(script)).obstacle).toMatch(/not final or still pending$/);
  });

  it('waits while no node has a transaction', async () => {
    const { obstacle } = await search({ sent: [{ block: 60n }], lacksState: true });
    expect(obstacle).toMatch(/^the nodes do not show .* nonces 0, .* relayer name$/);
  });
});
