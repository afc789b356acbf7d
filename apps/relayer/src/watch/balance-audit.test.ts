import { beforeEach, describe, expect, it } from '@jest/globals';
import type { WalletState } from '@causeway/store';
import { aHash, anAddress, anAddressBook, PARTNER } from '@causeway/test-kit';
import { pino } from 'pino';
import { BalanceAudit } from './balance-audit.js';

// On a scripted chain of 1,000 blocks, of which 995 are final.

const UNIT = 10n ** 10n;
const FEE = 21_000n * UNIT;
const book = anAddressBook();
const fence = { name: 'relayer', token: 1n };

interface Block {
  /** Came by a transfer that was recorded. */
  readonly received?: bigint;
  /** Came by the call of a contract. */
  readonly unseen?: bigint;
  /** A transaction of the wallet with this value. */
  readonly sent?: bigint;
}

let blocks: Map<bigint, Block>;
let oldest: bigint;
let account: WalletState | null;
let differences: (readonly [block: bigint, amount: bigint])[];
let requests: number;

beforeEach(() => {
  blocks = new Map();
  oldest = 0n;
  account = null;
  differences = [];
  requests = 0;
});

function sumUntil(block: bigint, amountOf: (entry: Block) => bigint): bigint {
  return [...blocks].reduce((sum, [number, entry]) => (number <= block ? sum + amountOf(entry) : sum), 0n);
}

const cost = ({ sent }: Block) => (sent === undefined ? 0n : sent + FEE);

function assertKept(block: bigint): void {
  requests += 1;
  if (block < oldest) throw new Error('the state is pruned');
}

const client = {
  getBalance: async ({ blockNumber }: { blockNumber: bigint }) => {
    assertKept(blockNumber);
    return sumUntil(blockNumber, (entry) => (entry.received ?? 0n) + (entry.unseen ?? 0n) - cost(entry));
  },
  getTransactionCount: async ({ blockNumber }: { blockNumber: bigint }) => {
    assertKept(blockNumber);
    return Number(sumUntil(blockNumber, ({ sent }) => (sent === undefined ? 0n : 1n)));
  },
  getBlock: async ({ blockNumber }: { blockNumber: bigint }) => {
    const sent = blocks.get(blockNumber)?.sent ?? 0n;
    const foreign = { hash: aHash(), from: anAddress(), to: anAddress(), value: 77n };
    return { transactions: [foreign, { hash: aHash(), from: book.relayer, to: anAddress(), value: sent }] };
  },
  getTransactionReceipt: async () => ({ status: 'success', gasUsed: 21_000n, effectiveGasPrice: UNIT, logs: [] }),
};

function createAudit(): BalanceAudit {
  const connection = { agree: async (read: (one: typeof client) => Promise<unknown>) => read(client) };
  const finality = { head: async () => 1_000n };
  const partner = { chainId: PARTNER, bridge: anAddress('mint'), deployedAtBlock: 1n, confirmations: 6 };
  const store = {
    scan: { latestBlock: async () => ({ number: 1_000n }) },
    audits: {
      last: async () => account,
      received: async (_: unknown, from: bigint, to: bigint) =>
        sumUntil(to, ({ received = 0n }) => received) - sumUntil(from, ({ received = 0n }) => received),
      advance: async (_: unknown, __: unknown, to: WalletState, difference: bigint) => {
        account = to;
        if (difference !== 0n) differences.push([to.blockNumber, difference]);
      },
    },
  };
  const chains = { partner: { ...partner, connection, finality } };
  return new BalanceAudit(chains as never, store as never, { addressBook: book } as never, pino({ level: 'silent' }));
}

async function runToEnd(): Promise<void> {
  const audit = createAudit();
  for (let runs = 0; await audit.run(fence); runs++) expect(runs).toBeLessThan(100);
}

describe('BalanceAudit', () => {
  it('explains transfers, and values and fees of the wallet, up to the newest final block', async () => {
    blocks.set(10n, { received: 10n ** 18n });
    blocks.set(300n, { sent: 5n * UNIT });
    blocks.set(301n, { sent: 0n, received: 3n * UNIT });
    blocks.set(999n, { unseen: 1n });
    await runToEnd();
    expect(differences).toEqual([]);
    expect(account).toMatchObject({ blockNumber: 995n, nonce: 2n });
  });

  it('finds the very blocks of what came or went without a record', async () => {
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

  it('asks little while the balance stands still', async () => {
    await runToEnd();
    expect(requests).toBeLessThan(20);
  });

  it('begins now where the nodes have no old state', async () => {
    oldest = 900n;
    blocks.set(10n, { unseen: 7n });
    await runToEnd();
    expect(differences).toEqual([]);
    expect(account).toMatchObject({ blockNumber: 995n, balance: 7n });
  });
});
