import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import {
  contractsResponseSchema,
  prepareCallResponseSchema,
  type ContractsResponse,
  type PrepareCallResponse,
} from '@causeway/protocol/admin';
import { testAccount } from '@causeway/test-kit';
import { createWalletClient, type Hex } from 'viem';
import { temporaryAdmin, type SignedIn, type TemporaryAdmin } from './temporary-admin.js';
import { temporaryBridge, type TemporaryBridge } from '../temporary-bridge.js';

// Two chains whose contracts are administered by a timelock with an owner, and the admin API on them. Each importing
// test file has its own.

/** Delay from the announcement of the owner's call to its execution. */
export const DELAY_SECONDS = 3_600;
export const [relayer, guardian, treasury] = [testAccount(1), testAccount(2), testAccount(3)];
export const [owner, policyManager] = [testAccount(4), testAccount(7)];
export type Account = typeof owner;
export type Transaction = PrepareCallResponse['transactions'][number];
type Sent = Pick<Transaction, 'side' | 'to' | 'data' | 'value'>;
const MOST_GAS = 1_000_000n;
export const SOMEBODY = '0x00000000000000000000000000000000000000ab';
/** Port 9 (discard) refuses connections. */
export const NO_NODE = 'http://127.0.0.1:9';

export let bridge: TemporaryBridge;
export let api: TemporaryAdmin;
export let operator: SignedIn;
export let kept: readonly [Hex, Hex];
let head: bigint;

beforeAll(async () => {
  bridge = await temporaryBridge({
    admin: owner.address,
    adminDelaySeconds: DELAY_SECONDS,
    standby: testAccount(5).address,
  });
  api = await temporaryAdmin(bridge);
  operator = await api.signedIn('operator');
  await keepState();
});

/** Restores both chains to this state before each test. */
export const keepState = async () => {
  kept = [await bridge.ethereum.test.snapshot(), await bridge.partner.test.snapshot()];
  head = await bridge.ethereum.client.getBlockNumber();
};

beforeEach(async () => {
  if ((await bridge.ethereum.client.getBlockNumber()) === head) return;
  await bridge.ethereum.test.revert({ id: kept[0] });
  await bridge.partner.test.revert({ id: kept[1] });
  await keepState();
});

afterAll(async () => {
  await api?.close();
  await bridge?.stop();
});

export const PREPARE = '/contracts/calls/prepare';
export const pauseBoth = { command: 'pause', options: { direction: 'both' }, account: guardian.address };

/** Prepares the transactions of a command for an account. */
export async function prepare(
  command: string,
  options: Readonly<Record<string, string>>,
  account: Account,
): Promise<readonly Transaction[]> {
  const answer = await operator.post(PREPARE, { command, options, account: account.address });
  expect(answer).toMatchObject({ status: 200 });
  return prepareCallResponseSchema.parse(answer.body).transactions;
}

/** Reads the state of the contracts like the console. */
export async function contracts(of: SignedIn = operator): Promise<ContractsResponse> {
  const answer = await of.get('/contracts');
  expect(answer).toMatchObject({ status: 200 });
  return contractsResponseSchema.parse(answer.body);
}

/** Mines a transaction like the account's wallet, even if it reverts. */
export async function mine({ side, to, data, value }: Sent, account: Account) {
  const { chain, transport, client } = bridge[side];
  const wallet = createWalletClient({ chain, transport, account });
  const call = { to, data: data as Hex, value: BigInt(value), gas: MOST_GAS };
  const txHash = await wallet.sendTransaction(call);
  const { status } = await client.waitForTransactionReceipt({ hash: txHash });
  return { status, sent: { side, txHash } };
}

/** Mines the prepared transactions. */
export async function send(transactions: readonly Sent[], account: Account): Promise<void> {
  for (const each of transactions) expect(await mine(each, account)).toMatchObject({ status: 'success' });
}

/** A cheaper policy for ETH. */
export const lowered = { asset: 'ETH', rate: '0.1%', 'min-fee': '0.003 ETH', 'min-amount': '0.01 ETH' };
