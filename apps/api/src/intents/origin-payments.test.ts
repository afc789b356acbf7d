import { beforeEach, describe, expect, it } from '@jest/globals';
import { MirrorUnavailableError, QuorumError, type Mirror, type MirrorAnswer } from '@causeway/chain';
import { aHash, anAddress, anAddressBook } from '@causeway/test-kit';
import { numberToHex, TransactionNotFoundError, TransactionReceiptNotFoundError, type Address, type Hex } from 'viem';
import { entryPoint07Address } from 'viem/account-abstraction';
import { OriginPaymentsReader } from './origin-payments.js';

const book = anAddressBook();
const wallet = book.relayer.toLowerCase() as Address;
const [bundler, account] = [anAddress('bundler'), anAddress('account')];
const HASH = aHash();
const BLOCK = aHash();
const XCN = 10n ** 18n;
const MEMO: Hex = `0x${'12'.repeat(32)}`;

/** The answers of the one node and the mirror. */
let script: {
  transaction: { from: Address; to: Address | null; value: bigint; input: Hex; gas: bigint; nonce: number } | null;
  status: 'success' | 'reverted' | null;
  mirror: MirrorAnswer | Error | null;
  isDisputed: boolean;
  userOperation: Hex | null;
  searched: unknown;
};

beforeEach(() => {
  script = {
    transaction: { from: bundler, to: anAddress('entry point'), value: 0n, input: '0x01', gas: 900_000n, nonce: 3 },
    status: 'success',
    mirror: { kind: 'missing', reason: 'it lags' },
    isDisputed: false,
    userOperation: null,
    searched: null,
  };
});

const client = {
  getTransaction: async ({ hash }: { hash: Hex }) => {
    if (script.transaction === null) throw new TransactionNotFoundError({ hash });
    return script.transaction;
  },
  getTransactionReceipt: async ({ hash }: { hash: Hex }) => {
    if (script.status === null) throw new TransactionReceiptNotFoundError({ hash });
    return { status: script.status, blockNumber: 9n, blockHash: BLOCK };
  },
  getBlock: async () => ({ timestamp: 1_800_000_000n }),
  request: async ({ params }: { params: readonly unknown[] }) => {
    script.searched = params[0];
    return script.userOperation === null ? [] : [{ transactionHash: script.userOperation }];
  },
};

function reader(): OriginPaymentsReader {
  const partner = {
    agree: async (read: (one: typeof client) => Promise<unknown>) => {
      if (script.isDisputed) throw new QuorumError('partner', 2, []);
      return read(client);
    },
    agreedHead: async () => 5_000n,
  };
  const { mirror } = script;
  const transfersIn: Mirror['transfersIn'] = async () => {
    if (mirror instanceof Error || mirror === null) throw mirror ?? new Error('not asked');
    return mirror;
  };
  const asked = { transfersIn, ping: async () => 0, status: () => [] };
  return new OriginPaymentsReader({ partner } as never, mirror === null ? null : asked, { addressBook: book });
}

const call = { callIndex: 4, payer: account, wallet, amount: XCN, memo: null };
const place = { blockNumber: 9n, minedAt: new Date(1_800_000_000_000) };

describe('what a transaction pays', () => {
  it('is the value of a plain transfer, with its 32-byte data, without the mirror', async () => {
    script.transaction = { from: account, to: wallet, value: XCN, input: MEMO, gas: 21_512n, nonce: 3 };
    script.mirror = new MirrorUnavailableError(['timeout']);
    const payments = [{ payer: account, amount: XCN, memo: MEMO, callIndex: 0, ...place }];
    expect(await reader().read(HASH)).toEqual({ kind: 'mined', nonce: 3n, payments });
  });

  it('are the calls that the mirror shows', async () => {
    script.mirror = { kind: 'found', transfers: [call, { ...call, callIndex: 9, payer: anAddress() }] };
    const { payments } = (await reader().read(HASH)) as { payments: unknown };
    expect(payments).toMatchObject([{ callIndex: 4, payer: account, ...place }, { callIndex: 9 }]);
  });

  it.each<[string, () => void]>([
    ['it reverted', () => (script.status = 'reverted')],
    ['it made no call', () => Object.assign(script.transaction!, { gas: 21_000n, input: '0x' })],
    ['no call reached the wallet', () => (script.mirror = { kind: 'found', transfers: [] })],
  ])('is nothing when %s', async (_, change) => {
    change();
    expect(await reader().read(HASH)).toEqual({ kind: 'mined', nonce: 3n, payments: [] });
  });

  it.each<[string, () => void, object]>([
    ['no node has it', () => (script.transaction = null), { kind: 'not mined', nonce: null }],
    ['it is in no block', () => (script.status = null), { kind: 'not mined', nonce: 3n }],
    ['the nodes disagree', () => (script.isDisputed = true), { kind: 'unavailable', nonce: null }],
    ['the mirror lags', () => undefined, { kind: 'unavailable', nonce: 3n }],
    [
      'the mirror is unavailable',
      () => (script.mirror = new MirrorUnavailableError(['timeout'])),
      { kind: 'unavailable', nonce: 3n },
    ],
    ['there is no mirror', () => (script.mirror = null), { kind: 'unavailable', nonce: 3n }],
  ])('is unknown while %s', async (_, change, expected) => {
    change();
    expect(await reader().read(HASH)).toEqual(expected);
  });
});

describe('the hash of a user operation', () => {
  const execution = aHash();
  beforeEach(() => {
    script.transaction = null;
    script.userOperation = execution;
  });

  it('resolves to the transaction that executed it, by an event of a known EntryPoint', async () => {
    expect(await reader().resolve(HASH)).toBe(execution);
    expect(script.searched).toMatchObject({
      address: expect.arrayContaining([entryPoint07Address]),
      topics: ['0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f', HASH],
      fromBlock: numberToHex(4_000),
      toBlock: numberToHex(5_000),
    });
  });

  it.each<[string, () => void]>([
    [
      'that is of a transaction',
      () => (script.transaction = { from: account, to: wallet, value: 0n, input: '0x', gas: 1n, nonce: 3 }),
    ],
    ['that no EntryPoint knows', () => (script.userOperation = null)],
    ['while the nodes disagree', () => (script.isDisputed = true)],
  ])('leaves a hash unchanged %s', async (_, change) => {
    change();
    expect(await reader().resolve(HASH)).toBe(HASH);
  });
});
