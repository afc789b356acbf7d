import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEFAULT_FEE_POLICIES, getToken, type BridgeOperationResponse } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { isLong, temporaryDatabase, waitUntil, type PostgresServer } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import {
  createWalletClient,
  http,
  maxUint256,
  type Account,
  type Chain,
  type Hex,
  type Transport,
  type WalletClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createNonceManager, jsonRpc } from 'viem/nonce';
import { createCheck, listVerdicts } from './claims.js';
import { temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

// Two operations a second, of every kind in turn, among foreign transactions that fill Ethereum's blocks: an hour in
// test:long, half a minute in every run. Database and bridge have different time zones.

const SECONDS = isLong ? 3_600 : 30;
const FOREIGN_A_BLOCK = 200;
/** Accounts without roles, unlocked in the node, so that they need no signatures. */
const STRANGERS = [7, 8, 9];
/** Transfers that "Check it yourself" judges at their end. */
const CHECKED = 300;
const TOLERATED_GROWTH = 1.15;
/** Tolerance for the chains' clocks. A time zone's offset is at least half an hour. */
const TOLERATED_DRIFT_MS = 600_000;

let database: PostgresServer;
let environment: TestEnvironment;
let alice: User;

beforeAll(async () => {
  database = await temporaryDatabase(null, { TimeZone: 'Asia/Kolkata', DateStyle: 'SQL, DMY' });
  environment = await temporaryEnvironment({ firstDeposits: true, databaseUrl: database.url });
  alice = new User(environment, environment.accounts.alice);
});
afterAll(async () => {
  await environment?.stop();
  await database?.stop();
});

type Wallet = WalletClient<Transport, Chain, Account>;

/** A wallet with local nonces, which does not wait for a block between transactions. */
function walletOn({ getWallet }: TestEnvironment['ethereum' | 'partner'], url: string): Wallet {
  const nonceManager = createNonceManager({ source: jsonRpc() });
  const account = privateKeyToAccount(environment.accounts.alice.privateKey, { nonceManager });
  return createWalletClient({ chain: getWallet(environment.accounts.alice).chain, transport: http(url), account });
}

/** Sends one deposit of each asset in turn. */
async function deposits(wallet: Wallet): Promise<() => Promise<Hex>> {
  const { book, accounts } = environment;
  const [lock, recipient] = [book.ethereum.bridgeLock, accounts.alice.address];
  for (const asset of ['USDC', 'XCN'] as const) {
    const token = { address: getToken(book, 'ethereum', asset), abi: bridgedTokenAbi } as const;
    const hash = await wallet.writeContract({ ...token, functionName: 'approve', args: [lock, maxUint256] });
    await environment.ethereum.client.waitForTransactionReceipt({ hash });
  }
  const assets = ['ETH', 'USDC', 'XCN'] as const;
  let count = 0;
  return async () => {
    const asset = assets[count++ % assets.length]!;
    // Twice the withdrawn amount, so that Alice's funds last an hour.
    const amount = 2n * DEFAULT_FEE_POLICIES[asset].minAmount;
    const contract = { address: lock, abi: bridgeLockAbi, gas: 200_000n } as const;
    if (asset === 'ETH')
      return wallet.writeContract({ ...contract, functionName: 'depositNative', args: [recipient], value: amount });
    const args = [getToken(book, 'ethereum', asset), amount, recipient] as const;
    return wallet.writeContract({ ...contract, functionName: 'deposit', args });
  };
}

/** Sends a burn of ETH, a burn of USDC, a withdrawal of native XCN and a payment of an intent in turn. */
function withdrawals(wallet: Wallet): () => Promise<Hex> {
  const { book, accounts } = environment;
  const to = accounts.alice.address;
  const contract = { address: book.partner.bridgeMint, abi: bridgeMintAbi, gas: 200_000n } as const;
  let count = 0;
  const burn = async (asset: 'ETH' | 'USDC') => {
    const { minAmount } = DEFAULT_FEE_POLICIES[asset];
    const args = [getToken(book, 'partner', asset), minAmount, to, minAmount] as const;
    return wallet.writeContract({ ...contract, functionName: 'burn', args });
  };
  const { minAmount } = DEFAULT_FEE_POLICIES.XCN;
  const kinds = [
    async () => burn('ETH'),
    async () => burn('USDC'),
    async () =>
      wallet.writeContract({ ...contract, functionName: 'withdrawNative', args: [to, minAmount], value: minAmount }),
    async () => {
      const { relayerWalletAddress, intentId } = await alice.registerIntent(minAmount, to, `mixed-${count}`);
      return wallet.sendTransaction({ to: relayerWalletAddress, value: minAmount, data: intentId });
    },
  ];
  return async () => kinds[count++ % kinds.length]!();
}

/** Fills each block of Ethereum. */
async function foreignTraffic(url: string, until: () => boolean): Promise<void> {
  const rpc = async (calls: readonly object[]) => {
    const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })));
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return (await response.json()) as { result: unknown }[];
  };
  const [answer] = await rpc([{ method: 'eth_accounts', params: [] }]);
  const accounts = answer!.result as Hex[];
  const transfers = STRANGERS.flatMap((index) => {
    const from = accounts[index]!;
    return Array.from({ length: Math.ceil(FOREIGN_A_BLOCK / STRANGERS.length) }, () => ({
      method: 'eth_sendTransaction',
      params: [{ from, to: from, value: '0x1', gas: '0x5208' }],
    }));
  });
  while (!until()) {
    const startedAt = performance.now();
    await rpc(transfers);
    await sleep(Math.max(0, 1_000 - (performance.now() - startedAt)));
  }
}

const relayerMemory = () => {
  const parts = JSON.parse(readFileSync(join(environment.stack.logs, '..', 'processes.json'), 'utf8')) as {
    name: string;
    pid: number;
  }[];
  const { pid } = parts.findLast(({ name }) => name === 'relayer')!;
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
};
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const alarms = () =>
  readFileSync(join(environment.stack.logs, 'relayer.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"level":60'));

/** All times that a user sees of an operation, in epoch milliseconds. */
function listMoments(operation: BridgeOperationResponse): number[] {
  const texts = [
    operation.createdAt,
    operation.updatedAt,
    ...(operation.holdUntil === null ? [] : [operation.holdUntil]),
  ];
  for (const text of texts) expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return texts.map((text) => Date.parse(text));
}

it(
  'completes all operations of mixed traffic, with correct times, no alarm and flat memory',
  async () => {
    const { ethereum, partner, stack } = environment;
    const [deposit, withdraw] = [
      await deposits(walletOn(ethereum, stack.ethereum.rpcUrl)),
      withdrawals(walletOn(partner, stack.partner.rpcUrl)),
    ];
    const sent: Hex[] = [];
    const memory: number[] = [];
    let isOver = false;
    const foreign = foreignTraffic(stack.ethereum.rpcUrl, () => isOver);
    const check = createCheck(environment);
    const accusations: string[] = [];
    const judge = async (hash: Hex | undefined) => {
      const claim = hash === undefined ? null : await alice.status(hash);
      if (hash !== undefined && claim !== null)
        accusations.push(...listVerdicts(await check(hash, claim), 'disagree').map((row) => `${hash} ${row}`));
    };
    const [startedAt, startedAtMs] = [performance.now(), Date.now()];
    for (let second = 0; second < SECONDS; second++) {
      sent.push(...(await Promise.all([deposit(), withdraw()])));
      if (second % 10 === 0) memory.push(relayerMemory());
      // Transfers in all statuses.
      await judge(sent.at(-1 - (second % 20)));
      await sleep(Math.max(0, startedAt + (second + 1) * 1_000 - performance.now()));
    }
    isOver = true;
    await foreign;
    for (const hash of sent) {
      const completed = async () => {
        const operation = await alice.status(hash);
        return operation?.status === 'COMPLETED' ? operation : null;
      };
      const operation = await waitUntil(`the operation of ${hash} is completed`, completed, { timeoutMs: 120_000 });
      for (const moment of listMoments(operation)) {
        expect(moment).toBeGreaterThan(startedAtMs - TOLERATED_DRIFT_MS);
        expect(moment).toBeLessThan(Date.now() + TOLERATED_DRIFT_MS);
      }
    }
    for (const hash of sent.slice(-CHECKED)) await judge(hash);
    expect(accusations).toEqual([]);
    expect(sent).toHaveLength(2 * SECONDS);
    expect(alarms()).toEqual([]);
    if (isLong) {
      const third = Math.floor(memory.length / 3);
      expect(median(memory.slice(-third))).toBeLessThan(TOLERATED_GROWTH * median(memory.slice(third, 2 * third)));
    }
  },
  (SECONDS + 300) * 1_000,
);
