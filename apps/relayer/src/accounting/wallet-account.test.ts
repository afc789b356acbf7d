import { beforeEach, describe, expect, it } from '@jest/globals';
import { MirrorUnavailableError, type Mirror, type MirrorAnswer } from '@causeway/chain';
import type { AccountedBlock, WalletState } from '@causeway/store';
import { aHash, anAddress, anAddressBook, PARTNER } from '@causeway/test-kit';
import { pino } from 'pino';
import type { Hex } from 'viem';
import { WalletAccount } from './wallet-account.js';

// A scripted chain of 1,000 blocks, of which 995 are final.

const XCN = 10n ** 18n;
const UNIT = 10n ** 10n;
const FEE = 21_000n * UNIT;
const wallet = { chainId: PARTNER, address: anAddress('relayer') };
const fence = { name: 'relayer', token: 1n };
const MINUTE_MS = 60_000;

interface Block {
  /** Received by a recorded transfer. */
  readonly received?: bigint;
  /** Received in another way, in whole XCN. */
  readonly unseen?: bigint;
  /** Received in another way, in wei. */
  readonly unseenWei?: bigint;
  /** A transaction of the wallet with this value. */
  readonly sent?: bigint;
  /** A plain transfer that the reader does not see, in whole coins. */
  readonly plain?: bigint;
  /** Transactions that call contracts. */
  readonly calls?: readonly Hex[];
}

let blocks: Map<bigint, Block>;
let oldest: bigint;
/** The nodes return the state of the next block instead of this one. */
let mistaken: bigint | null;
let account: WalletState | null;
let transfers: string[];
let differences: (readonly [block: bigint, amount: bigint])[];
let dust: (readonly [block: bigint, amount: bigint])[];
let requests: number;
/** Blocks whose nonce was requested, in order, and how many at the same time. */
let nonces: { readonly asked: bigint[]; now: number; most: number };
let mirror: Mirror | null;
let trees: Map<Hex, MirrorAnswer | Error>;
let reverted: Set<Hex>;
let removed: bigint | null;
/** A change that the observer makes in the meantime. */
let beforeAdvance: () => void;
let nowMs: number;
let side: 'ethereum' | 'partner';

beforeEach(() => {
  blocks = new Map();
  oldest = 0n;
  mistaken = null;
  account = null;
  transfers = [];
  differences = [];
  dust = [];
  requests = 0;
  nonces = { asked: [], now: 0, most: 0 };
  mirror = null;
  trees = new Map();
  reverted = new Set();
  removed = null;
  beforeAdvance = () => undefined;
  nowMs = 0;
  side = 'partner';
});

/** Gives the chain a mirror. The mirror does not know transactions without a call tree. */
function withMirror(): void {
  mirror = {
    transfersIn: async (hash) => {
      const answer = trees.get(hash) ?? { kind: 'missing', reason: 'it lags' };
      if (answer instanceof Error) throw answer;
      return answer;
    },
    ping: async () => 0,
    status: () => [],
  };
}

/** A call tree that pays these amounts to the wallet, in whole XCN. */
const paying = (...amounts: bigint[]): MirrorAnswer => ({
  kind: 'found',
  transfers: amounts.map((amount, index) => ({
    callIndex: index + 1,
    payer: anAddress('account'),
    wallet: wallet.address,
    amount: amount * XCN,
    memo: null,
  })),
});

const makeHash = (block: bigint): Hex => `0x${block.toString(16).padStart(64, '0')}`;

function shownAt(block: bigint, getAmount: (entry: Block) => bigint): bigint {
  return sumUntil(block === mistaken ? block + 1n : block, getAmount);
}

function sumUntil(block: bigint, getAmount: (entry: Block) => bigint): bigint {
  return [...blocks].reduce((sum, [number, entry]) => (number <= block ? sum + getAmount(entry) : sum), 0n);
}

const cost = ({ sent }: Block) => (sent === undefined ? 0n : sent + FEE);

function assertKept(block: bigint): void {
  requests += 1;
  if (block < oldest) throw new Error('the state is pruned');
}

const client = {
  getBalance: async ({ blockNumber }: { blockNumber: bigint }) => {
    assertKept(blockNumber);
    return shownAt(
      blockNumber,
      (entry) =>
        (entry.received ?? 0n) +
        (entry.unseenWei ?? 0n) +
        ((entry.unseen ?? 0n) + (entry.plain ?? 0n)) * XCN -
        cost(entry),
    );
  },
  getTransactionCount: async ({ blockNumber }: { blockNumber: bigint }) => {
    assertKept(blockNumber);
    nonces.asked.push(blockNumber);
    nonces.most = Math.max(nonces.most, ++nonces.now);
    await new Promise((resolve) => setImmediate(resolve));
    nonces.now--;
    return Number(shownAt(blockNumber, ({ sent }) => (sent === undefined ? 0n : 1n)));
  },
  getBlock: async ({ blockHash, blockNumber = BigInt(blockHash ?? 0) }: { blockNumber?: bigint; blockHash?: Hex }) => {
    const { sent, calls = [], plain: paid = 0n } = blocks.get(blockNumber) ?? {};
    const common = { hash: makeHash(blockNumber), input: '0x', gas: 21_000n };
    const plain = { ...common, from: anAddress(), to: paid > 0n ? wallet.address : anAddress(), value: paid * XCN };
    const own = { ...common, hash: aHash(), from: wallet.address, to: anAddress(), gas: 90_000n };
    const owns = sent === undefined ? [] : [{ ...own, value: sent }];
    const calling = calls.map((hash) => ({ ...plain, hash, gas: 90_000n }));
    return { hash: makeHash(blockNumber), timestamp: blockNumber, transactions: [plain, ...owns, ...calling] };
  },
  getTransactionReceipt: async ({ hash }: { hash: Hex }) => {
    const [number = 0n] =
      [...blocks].find(([block, { calls = [] }]) => calls.includes(hash) || makeHash(block) === hash) ?? [];
    const status = reverted.has(hash) ? 'reverted' : 'success';
    return { status, blockHash: makeHash(number), gasUsed: 21_000n, effectiveGasPrice: UNIT, logs: [] };
  },
};

function createAccount(): WalletAccount {
  const connection = { agree: async (read: (one: typeof client) => Promise<unknown>) => read(client) };
  const finality = { recentHead: async () => 1_000n };
  const chain = { side, chainId: PARTNER, bridge: anAddress('mint'), deployedAtBlock: 1n, confirmations: 6 };
  const store = {
    scan: {
      latestBlock: async () => ({ number: 1_000n }),
      block: async (_: number, number: bigint) => (number === removed ? { hash: aHash() } : null),
    },
    audits: {
      last: async () => account,
      received: async (_: unknown, __: unknown, from: bigint, to: bigint) =>
        sumUntil(to, ({ received = 0n }) => received) - sumUntil(from, ({ received = 0n }) => received),
      advance: async (_: unknown, __: unknown, { state, since, ...found }: AccountedBlock) => {
        beforeAdvance();
        if (since !== (account?.blockNumber ?? null)) return false;
        account = state;
        for (const { amount, callIndex } of found.transfers)
          transfers.push(`${state.blockNumber}: ${amount / XCN} by message ${callIndex}`);
        for (const { amount } of found.dust) dust.push([state.blockNumber, amount]);
        if (found.difference !== 0n) differences.push([state.blockNumber, found.difference / XCN]);
        return true;
      },
    },
  };
  return new WalletAccount({
    chain: { ...chain, connection, finality } as never,
    wallet,
    book: anAddressBook(),
    mirror,
    store: store as never,
    clock: { now: () => nowMs },
    logger: pino({ level: 'silent' }),
  });
}

async function runToEnd(one = createAccount()): Promise<WalletAccount> {
  for (let runs = 0; await one.run(fence); runs++) expect(runs).toBeLessThan(100);
  return one;
}

describe('WalletAccount', () => {
  it('explains transfers, and values and fees of the wallet, up to the newest block that was read', async () => {
    blocks.set(10n, { received: 10n ** 18n });
    blocks.set(300n, { sent: 5n * UNIT });
    blocks.set(301n, { sent: 0n, received: 3n * UNIT });
    blocks.set(999n, { received: 1n });
    await runToEnd();
    expect(differences).toEqual([]);
    expect(account).toMatchObject({ blockNumber: 1_000n, nonce: 2n });
  });

  it('records, without a mirror, exactly the blocks of unexplained changes', async () => {
    blocks.set(10n, { received: 10n ** 18n });
    blocks.set(111n, { unseen: 7n });
    blocks.set(112n, { unseen: -9n, sent: UNIT });
    blocks.set(990n, { unseen: 1n });
    await runToEnd();
    expect(differences).toEqual([
      [111n, 7n],
      [112n, -9n],
      [990n, 1n],
    ]);
  });

  it('restarts at its position when a reorg removes the block that it would continue from', async () => {
    account = { blockNumber: 999n, balance: 7n, nonce: 0n };
    // On the current branch, nothing has arrived at the block before.
    beforeAdvance = () => {
      account = { blockNumber: 998n, balance: 0n, nonce: 0n };
      beforeAdvance = () => undefined;
    };
    const one = createAccount();
    expect(await one.run(fence)).toBe(false);
    await runToEnd(one);
    expect(differences).toEqual([]);
    expect(account.blockNumber).toBe(1_000n);
  });

  it('asks again when the nodes return the state of another block', async () => {
    blocks.set(999n, { sent: UNIT });
    mistaken = 998n;
    const one = await runToEnd();
    expect(account).toMatchObject({ blockNumber: 997n });
    mistaken = null;
    nowMs += 3_000;
    await runToEnd(one);
    expect(account).toMatchObject({ blockNumber: 1_000n, nonce: 1n });
    expect(differences).toEqual([]);
  });

  it('makes few requests while the balance does not change', async () => {
    await runToEnd();
    expect(requests).toBeLessThan(20);
  });

  it('reads the next blocks of a busy wallet concurrently, and each only once', async () => {
    for (let block = 900n; block < 960n; block++) blocks.set(block, { sent: UNIT });
    account = { blockNumber: 900n, balance: -UNIT - FEE, nonce: 1n };
    await createAccount().run(fence);
    expect(differences).toEqual([]);
    expect(account.blockNumber).toBeGreaterThan(905n);
    expect(new Set(nonces.asked).size).toBe(nonces.asked.length);
    expect(nonces.most).toBeGreaterThan(5);
  });

  it('starts at the newest final block when the nodes lack old state', async () => {
    oldest = 900n;
    blocks.set(10n, { unseen: 7n });
    await runToEnd();
    expect(differences).toEqual([]);
    expect(account).toMatchObject({ blockNumber: 1_000n, balance: 7n * XCN });
  });

  it('continues with one difference when the nodes have lacked old state for 15 minutes', async () => {
    blocks.set(10n, { received: XCN });
    await runToEnd();
    account = { blockNumber: 100n, balance: XCN, nonce: 0n };
    blocks.set(200n, { unseen: 7n });
    blocks.set(300n, { sent: 2n * XCN });
    oldest = 900n;
    const one = createAccount();
    await expect(one.run(fence)).rejects.toThrow('pruned');
    nowMs = 16 * MINUTE_MS;
    await runToEnd(one);
    expect(account).toMatchObject({ blockNumber: 1_000n });
    expect(differences).toEqual([[995n, (7n * XCN - 2n * XCN - FEE) / XCN]]);
  });

  it('counts unexplained dust as dust without a payer', async () => {
    blocks.set(111n, { unseenWei: 10n ** 16n - 1n });
    blocks.set(112n, { unseenWei: 10n ** 16n });
    await runToEnd();
    expect(dust).toEqual([[111n, 10n ** 16n - 1n]]);
    expect(differences).toEqual([[112n, 0n]]);
  });

  it('stops at a block that the nodes do not have or have lost', async () => {
    removed = 995n;
    await runToEnd();
    expect(account!.blockNumber).toBeLessThan(995n);
  });
});

describe('an account on Ethereum', () => {
  beforeEach(() => {
    side = 'ethereum';
  });

  it('finds plain transfers in their block, and records the rest', async () => {
    blocks.set(111n, { plain: 7n });
    blocks.set(112n, { plain: 3n, unseen: 2n });
    await runToEnd();
    expect(transfers).toEqual(['111: 7 by message 0', '112: 3 by message 0']);
    expect(differences).toEqual([[112n, 2n]]);
  });

  it('charges the exact fee of its transactions, and ignores failed payments', async () => {
    blocks.set(111n, { plain: 7n, sent: 1n });
    blocks.set(112n, { sent: 1n });
    reverted.add(makeHash(111n));
    await runToEnd();
    expect(transfers).toEqual([]);
    expect(differences).toEqual([[111n, 7n]]);
  });
});

describe('an account with a mirror', () => {
  const [one, other] = [aHash(), aHash()];
  beforeEach(withMirror);

  it('finds payments inside contract calls, in final blocks and at the head', async () => {
    blocks.set(111n, { unseen: 7n, calls: [one], sent: UNIT });
    blocks.set(999n, { unseen: 5n, calls: [other] });
    trees.set(one, paying(3n, 4n)).set(other, paying(5n));
    await runToEnd();
    expect(transfers).toEqual(['111: 3 by message 1', '111: 4 by message 2', '999: 5 by message 1']);
    expect(differences).toEqual([]);
  });

  it('records what no call tree explains, such as a block reward or a self-destructed contract', async () => {
    blocks.set(111n, { unseen: 7n, calls: [one] });
    trees.set(one, paying(3n));
    await runToEnd();
    expect(transfers).toEqual(['111: 3 by message 1']);
    expect(differences).toEqual([[111n, 4n]]);
    expect(account).toMatchObject({ blockNumber: 1_000n });
  });

  it.each<[string, () => void]>([
    ['lags', () => undefined],
    ['shows more than the wallet received', () => trees.set(one, paying(8n))],
    ['shows payments of a failed transaction', () => trees.set(one, paying(7n)) && reverted.add(one)],
  ])('waits without storing anything while the mirror %s, and records the block after 15 minutes', async (_, lie) => {
    blocks.set(111n, { unseen: 7n, calls: [one] });
    lie();
    const waiting = await runToEnd();
    expect(account).toMatchObject({ blockNumber: 110n });
    nowMs = 14 * MINUTE_MS;
    await runToEnd(waiting);
    expect([account!.blockNumber, waiting.waitingMs]).toEqual([110n, 14 * MINUTE_MS]);
    nowMs = 16 * MINUTE_MS;
    await runToEnd(waiting);
    expect(account).toMatchObject({ blockNumber: 1_000n });
    expect([differences, transfers, waiting.waitingMs]).toEqual([[[111n, 7n]], [], 0]);
  });

  it('continues as soon as the mirror has caught up', async () => {
    blocks.set(111n, { unseen: 7n, calls: [one] });
    const waiting = await runToEnd();
    trees.set(one, paying(7n));
    nowMs = 1_000;
    await runToEnd(waiting);
    expect(transfers).toEqual([]);
    nowMs = 3_000;
    await runToEnd(waiting);
    expect([transfers, differences]).toEqual([['111: 7 by message 1'], []]);
  });

  it('waits without a limit while the mirror is unavailable', async () => {
    blocks.set(111n, { unseen: 7n, calls: [one] });
    trees.set(one, new MirrorUnavailableError(['timeout']));
    const waiting = await runToEnd();
    nowMs = 1_000 * MINUTE_MS;
    await runToEnd(waiting);
    expect(account).toMatchObject({ blockNumber: 110n });
    trees.set(one, paying(7n));
    nowMs += MINUTE_MS;
    await runToEnd(waiting);
    expect(transfers).toEqual(['111: 7 by message 1']);
  });
});
