import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount } from '@causeway/protocol';
import { User } from '@causeway/testbed';
import { anAddress, waitUntil } from '@causeway/test-kit';
import type { Hex } from 'viem';
import { temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';

// Three attesters as their own processes, of whom two must sign.

const PATIENCE = { timeoutMs: 90_000 };
const XCN = parseAmount('XCN', '6000');
const USDC = parseAmount('USDC', '50');

let environment: TestEnvironment;
let alice: User;

beforeAll(async () => {
  environment = await temporaryEnvironment({
    attesters: 3,
    threshold: 2,
    firstDeposits: true,
    holdSeconds: 1,
    ethereumConfirmations: 2,
    partnerConfirmations: 2,
  });
  alice = new User(environment, environment.accounts.alice);
});
afterAll(async () => environment?.stop());

async function completed(originTxHash: Hex): Promise<void> {
  const isCompleted = async () => (await alice.status(originTxHash))?.status === 'COMPLETED';
  await waitUntil(`${originTxHash} is COMPLETED`, isCompleted, PATIENCE);
}

const deposit = async () => (await alice.deposit('ETH', parseAmount('ETH', '0.1'), anAddress())).originTxHash;

describe('a bridge with real attesters', () => {
  it('completes every kind', async () => {
    const begun = [
      await deposit(),
      (await alice.burn('USDC', USDC, anAddress(), USDC)).originTxHash,
      (await alice.withdrawNative(XCN, anAddress(), XCN)).originTxHash,
      (await alice.withdrawXcn(XCN + 10n ** 18n, anAddress(), 'attested')).originTxHash,
    ];
    await Promise.all(begun.map(completed));
    const statuses = await Promise.all(begun.map(async (hash) => (await alice.status(hash))?.status));
    expect(statuses).toEqual(begun.map(() => 'COMPLETED'));
  });

  it('goes on without one, waits without two, and goes on when one is back', async () => {
    await environment.killService('attester-1');
    await completed(await deposit());
    await environment.killService('attester-2');
    const waiting = await deposit();
    await waitUntil(
      'it waits for attesters',
      async () => (await alice.status(waiting))?.delayedReason === 'ATTESTERS_UNAVAILABLE',
      PATIENCE,
    );
    await environment.startAttester('attester-2');
    await completed(waiting);
    expect((await alice.status(waiting))?.delayedReason).toBeNull();
  });
});
