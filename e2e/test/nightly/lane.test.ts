import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { broadcast } from '@causeway/chain';
import { parseAmount, getToken } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { openStore, type Store } from '@causeway/store';
import { encodeFunctionData, keccak256, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import {
  killAroundBroadcast,
  revertEthereum,
  temporaryEnvironment,
  type TestEnvironment,
} from '../temporary-environment.js';

// The wallet lane on the real stack: batches, the outflow limit, and lost nonces.

const usdc = (amount: string) => parseAmount('USDC', amount);

let environment: TestEnvironment;
let store: Store;
let alice: User;

beforeAll(async () => {
  environment = await temporaryEnvironment();
  store = openStore({ databaseUrl: environment.stack.databaseUrl, onIdleError: () => undefined });
  alice = new User(environment, environment.accounts.alice);
  await ended((await alice.deposit('USDC', usdc('50000'), alice.account.address)).originTxHash);
});
afterEach(async () => environment.restoreRelayer());
afterAll(async () => {
  await store?.close();
  await environment?.stop();
});

const stranger = (): Address => privateKeyToAddress(generatePrivateKey());
const lock = () => ({ address: environment.book.ethereum.bridgeLock, abi: bridgeLockAbi }) as const;
const token = () => getToken(environment.book, 'ethereum', 'USDC');
const wallet = () => ({ chainId: environment.stack.ethereum.chainId, address: environment.book.relayer });
const readStatus = async (hash: Hex) => (await alice.status(hash))?.status;
const usedNonces = () => environment.ethereum.client.getTransactionCount({ address: environment.book.relayer });

async function ended(hash: Hex): Promise<void> {
  await waitUntil('the operation is COMPLETED', async () => (await readStatus(hash)) === 'COMPLETED');
}

/** Makes burns that are due together: their transactions are in few blocks, and the relayer starts afterwards. */
async function burns(count: number, amount: string): Promise<Hex[]> {
  await environment.killRelayer();
  const hashes: Hex[] = [];
  for (let index = 0; index < count; index++)
    hashes.push((await alice.burn('USDC', usdc(amount), stranger(), usdc(amount))).originTxHash);
  return hashes;
}

async function setLimit(capacity: bigint, windowSeconds: bigint): Promise<void> {
  const { ethereum, accounts } = environment;
  const args = [token(), capacity, windowSeconds] as const;
  const hash = await ethereum
    .getWallet(accounts.policyManager)
    // An estimate would be too low if the used part of the limit changed before the block.
    .writeContract({ ...lock(), functionName: 'setOutflowLimit', args, gas: 200_000n });
  const { status } = await ethereum.client.waitForTransactionReceipt({ hash });
  if (status !== 'success') throw new Error(`The limit was not set: ${hash} reverted`);
}

/** The transactions of the relayer from a nonce on, with their receipts. */
async function receiptsFrom(nonce: number) {
  const { client } = environment.ethereum;
  const receipts = [];
  for (let next = nonce; next < (await usedNonces()); next++) {
    const call = await store.journal.withNonce(wallet(), BigInt(next));
    for (const { hash } of call?.transactions ?? []) {
      const receipt = await client.getTransactionReceipt({ hash }).catch(() => null);
      if (receipt !== null) receipts.push(receipt);
    }
  }
  return receipts;
}

describe('operations that are due together', () => {
  it('are paid in fewer transactions than there are operations', async () => {
    const before = await usedNonces();
    const hashes = await burns(5, '100');
    await environment.restartRelayer();
    for (const hash of hashes) await ended(hash);
    const settled = await Promise.all(hashes.map(async (hash) => (await alice.status(hash))?.settlement?.txHash));
    // Holds end one by one, so the first operations can be sent before the last ones are due.
    expect(new Set(settled).size).toBeLessThan(hashes.length);
    expect((await usedNonces()) - before).toBe(new Set(settled).size);
  });

  it('over the outflow limit wait for its refill, without reverted transactions', async () => {
    const [capacity, window] = await environment.ethereum.client.readContract({
      ...lock(),
      functionName: 'outflowLimit',
      args: [token()],
    });
    const before = await usedNonces();
    const hashes = await burns(8, '100');
    // Room for four, whatever was used before; the rest refills within 90 seconds.
    await setLimit(usdc('400'), 120n);
    await environment.restartRelayer();
    await waitUntil('some are over the limit', async () => {
      const operations = await Promise.all(hashes.map((hash) => alice.status(hash)));
      return operations.some((operation) => operation?.delayedReason === 'OUTFLOW_LIMIT');
    });
    await setLimit(capacity, window);
    for (const hash of hashes) await ended(hash);
    const receipts = await receiptsFrom(before);
    expect(receipts.map(({ status }) => status)).toEqual(receipts.map(() => 'success'));
    const ids = await Promise.all(hashes.map(async (hash) => (await alice.status(hash))!.id));
    expect(await store.journal.countReverted(ids)).toEqual(new Map());
  });
});

describe('a nonce that the chain does not have', () => {
  it('is used again by the journalled transaction that the node dropped', async () => {
    const { killed } = await killAroundBroadcast(environment, 'ethereum', 'afterNode');
    const { originTxHash } = await alice.burn('USDC', usdc('100'), stranger(), usdc('100'));
    const { test } = environment.ethereum;
    await killed();
    const promised = (await alice.status(originTxHash))!.destinationTxHash!;
    await test.dropTransaction({ hash: promised }).catch(() => undefined);
    await environment.restartRelayer();
    await ended(originTxHash);
    expect((await alice.status(originTxHash))?.settlement?.txHash).toBe(promised);
  });

  it('is filled after a reorg removed a final delivery: the release is mined again, then the next one', async () => {
    const { ethereum } = environment;
    const snapshot = await ethereum.test.snapshot();
    const first = await alice.burn('USDC', usdc('100'), stranger(), usdc('100'));
    await ended(first.originTxHash);
    const lost = (await alice.status(first.originTxHash))!.settlement!.txHash;
    await revertEthereum(environment, snapshot);
    await waitUntil('the halt is known', async () => (await store.halts.list()).length > 0);
    expect(await environment.relayerCommand('resume', 'ethereum', '--accept-reorg')).toMatchObject({ code: 0 });
    const second = await alice.burn('USDC', usdc('70'), stranger(), usdc('70'));
    await ended(second.originTxHash);
    expect(await ethereum.client.getTransactionReceipt({ hash: lost })).toMatchObject({ status: 'success' });
  });

  it('is filled by a self-transfer when the journal has no transaction', async () => {
    const { ethereum, accounts, book } = environment;
    await environment.killRelayer();
    // As after restoring a backup: the journal has a call with the nonce after next.
    const nonce = BigInt(await usedNonces());
    const data = encodeFunctionData({ ...lock(), functionName: 'releasesPaused' });
    const raw = await ethereum.getWallet(accounts.relayer).signTransaction({
      to: book.ethereum.bridgeLock,
      data,
      gas: 100_000n,
      nonce: Number(nonce + 1n),
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
      type: 'eip1559',
      chainId: wallet().chainId,
    });
    const fence = await waitUntil('the lease has expired', () => store.lease.acquire('relayer', 'a test', 60_000));
    const transaction = {
      hash: keccak256(raw),
      raw,
      gas: 100_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
    };
    const subject = { purpose: 'NONCE_GAP' } as const;
    const call = { nonce: nonce + 1n, to: book.ethereum.bridgeLock, data, value: 0n, subject, transaction };
    expect(await store.journal.record(fence, wallet(), [call])).toEqual({ kind: 'recorded' });
    await broadcast(ethereum.client, raw);
    await store.lease.release(fence);
    await environment.restartRelayer();
    await waitUntil('both nonces are used', async () => BigInt(await usedNonces()) >= nonce + 2n);
    expect(await store.journal.withNonce(wallet(), nonce)).toMatchObject({ purpose: 'NONCE_GAP', value: 0n });
    const { originTxHash } = await alice.burn('USDC', usdc('50'), stranger(), usdc('50'));
    await ended(originTxHash);
  });
});
