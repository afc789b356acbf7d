import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount, type BridgeOperationResponse } from '@causeway/protocol';
import type { AdminOperationResponse } from '@causeway/protocol/admin';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { attesterAccounts, User } from '@causeway/testbed';
import { anAddress, isLong, waitUntil } from '@causeway/test-kit';
import { zeroAddress, type Hex } from 'viem';
import { AdminClient } from '../../chaos/admin-client.js';
import { temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';

// Three attesters as their own processes, of whom two must sign.

const PATIENCE = { timeoutMs: 90_000 };
/** Between two operations of a flow. */
const PAUSE_MS = 1_500;
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

/** Makes accounts the attesters of both contracts, by their numbers; two of them must sign. */
async function setAttesters(...numbers: readonly number[]): Promise<void> {
  const { book, accounts, ethereum, partner } = environment;
  const members = attesterAccounts(9).flatMap(({ address }, index) => (numbers.includes(index + 1) ? [address] : []));
  const args = [members.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)), 2n] as const;
  for (const [clients, address] of [
    [ethereum, book.ethereum.bridgeLock],
    [partner, book.partner.bridgeMint],
  ] as const) {
    const call = { address, abi: bridgeLockAbi, functionName: 'setAttesters', args } as const;
    const hash = await clients.getWallet(accounts.deployer).writeContract(call);
    expect((await clients.client.waitForTransactionReceipt({ hash })).status).toBe('success');
  }
}

/** Begins deposits on one chain, and burns and intents on the other, one after the other until it is ended. */
function startTraffic() {
  const begun: Hex[] = [];
  const ended = new AbortController();
  const repeat = async (begin: (turn: bigint) => Promise<{ readonly originTxHash: Hex }>) => {
    for (let turn = 1n; !ended.signal.aborted; turn += 1n) {
      begun.push((await begin(turn)).originTxHash);
      await sleep(PAUSE_MS);
    }
  };
  const flows = Promise.allSettled([
    // As much XCN arrives as leaves.
    repeat((turn) =>
      turn % 4n === 0n
        ? alice.deposit('XCN', XCN, anAddress())
        : alice.deposit('ETH', parseAmount('ETH', '0.01'), anAddress()),
    ),
    repeat((turn) =>
      turn % 4n === 0n
        ? alice.withdrawXcn(XCN + turn * 10n ** 10n, anAddress(), `rotation ${turn}`)
        : alice.burn('USDC', USDC, anAddress(), USDC),
    ),
  ]);
  return {
    begun,
    end: async () => {
      ended.abort();
      expect((await flows).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    },
  };
}

/** The rotations: one member after the other, and in the long run around all nine accounts and back. */
const SETS = isLong
  ? Array.from({ length: 18 }, (_, turn) => [0, 1, 2].map((place) => ((turn + 1 + place) % 9) + 1))
  : [
      [2, 3, 4],
      [3, 4, 5],
      [4, 5, 6],
    ];

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

  it('pays an intent at the fee of its acceptance when the policy has changed before the transfer', async () => {
    const { partner, book, accounts } = environment;
    const amount = XCN + 2n * 10n ** 18n;
    const { intentId, relayerWalletAddress } = await alice.registerIntent(amount, anAddress(), 'policy');
    const policy = { address: book.partner.bridgeMint, abi: bridgeMintAbi, functionName: 'feePolicy' } as const;
    const [bps, minFee, minAmount] = await partner.client.readContract({ ...policy, args: [zeroAddress] });
    const manager = partner.getWallet(accounts.policyManager);
    const changed = await manager.writeContract({
      address: book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'setFeePolicy',
      args: [zeroAddress, { bps, minFee: minFee / 2n, minAmount }],
    });
    await partner.client.waitForTransactionReceipt({ hash: changed });
    const paid = await partner.getWallet(alice.account).sendTransaction({ to: relayerWalletAddress, value: amount });
    await alice.bindOrigin(intentId, paid);
    await completed(paid);
    expect((await alice.status(paid))?.fee?.amount).toBe(`${minFee}`);
  });

  it('goes on without one, waits without two, and goes on when one is back', async () => {
    await environment.processes.kill('attester-1');
    await completed(await deposit());
    await environment.processes.kill('attester-2');
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

  it('goes on while its attesters are replaced one after the other, and loses and repeats nothing', async () => {
    for (const number of isLong ? [1, 4, 5, 6, 7, 8, 9] : [4, 5, 6])
      await environment.startAttester(`attester-${number}`);
    const { stack, book, accounts } = environment;
    const admin = await AdminClient.signIn({ consoleUrl: stack.consoleUrl, book }, accounts.deployer.privateKey);
    const traffic = startTraffic();
    for (const set of SETS) {
      await setAttesters(...set);
      const left = `attester-${((set[0]! + 7) % 9) + 1}`;
      await environment.processes.kill(left);
      // It comes back later, with the start that every attester has.
      if (isLong) await environment.startAttester(left);
      const from = traffic.begun.length;
      // One that began after the change, so that the set which is there now has signed it.
      await completed(await waitUntil('an operation begins', () => traffic.begun[from], PATIENCE));
    }
    await traffic.end();
    await Promise.all(traffic.begun.map(completed));
    for (const hash of traffic.begun) {
      const { depositId, withdrawId, intentId } = (await alice.status(hash)) as BridgeOperationResponse;
      const page = await admin.read<AdminOperationResponse>(`/operations/${depositId ?? withdrawId ?? intentId}`);
      const { operation, deliveredAmount, calls, timeline } = page;
      expect(deliveredAmount).toBe(operation.outputAmount);
      expect(calls.filter(({ state }) => state === 'SUCCEEDED')).toHaveLength(1);
      expect(timeline.map(({ cause }) => cause)).not.toContain('DESTINATION_REVERTED');
    }
  });
});
