import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount, type Side } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import {
  ended,
  findMints,
  findReleases,
  killAroundBroadcast,
  readBalance,
  temporaryEnvironment,
  type TestEnvironment,
} from './temporary-environment.js';

const AMOUNT = parseAmount('USDC', '100');

let environment: TestEnvironment;
let alice: User;

beforeAll(async () => {
  environment = await temporaryEnvironment();
  alice = new User(environment, environment.accounts.alice);
});

afterEach(async () => environment.restoreRelayer());
afterAll(async () => environment?.stop());

const stranger = (): Address => privateKeyToAddress(generatePrivateKey());

const readUsdc = async (side: Side, owner: Address) => readBalance(environment, side, 'USDC', owner);

describe('a relayer killed with SIGKILL', () => {
  it('while an origin waits for confirmations: goes on after a restart and pays once', async () => {
    const recipient = stranger();
    const originTxHash = await environment.whileBlocksWait(async () => {
      const deposit = await alice.deposit('USDC', AMOUNT, recipient);
      await waitUntil('it is read', () => alice.isRead(deposit.originTxHash));
      await environment.restartRelayer();
      return deposit.originTxHash;
    });
    const operation = await ended(alice, originTxHash);
    expect(operation.status).toBe('COMPLETED');
    expect(await findMints(environment, operation.id)).toHaveLength(1);
    expect(await readUsdc('partner', recipient)).toBe(AMOUNT);
  });

  it('between journal and broadcast: the journalled transaction is sent after a restart, and no other', async () => {
    const recipient = stranger();
    const { killed } = await killAroundBroadcast(environment, 'partner', 'beforeNode');
    const { originTxHash } = await alice.deposit('USDC', AMOUNT, recipient);
    await killed();
    // The status named a transaction that no node had received.
    const promised = await alice.status(originTxHash);
    expect(promised?.status).toBe('PROCESSING_DESTINATION');
    expect(await readUsdc('partner', recipient)).toBe(0n);
    await environment.restartRelayer({ REPLACE_AFTER_MS: '86400000' });
    const operation = await ended(alice, originTxHash);
    expect(operation.status).toBe('COMPLETED');
    expect(operation.settlement?.txHash).toBe(promised?.destinationTxHash);
    expect(await findMints(environment, operation.id)).toHaveLength(1);
    expect(await readUsdc('partner', recipient)).toBe(AMOUNT);
  });

  it('between the broadcast of a release and its answer: recognises it after a restart and pays once', async () => {
    const { originTxHash: funded } = await alice.deposit('USDC', AMOUNT, alice.account.address);
    await ended(alice, funded);
    const { killed } = await killAroundBroadcast(environment, 'ethereum', 'afterNode');
    const destination = stranger();
    const { originTxHash } = await alice.burn('USDC', AMOUNT, destination, AMOUNT);
    await killed();
    const promised = await alice.status(originTxHash);
    await environment.restartRelayer({ REPLACE_AFTER_MS: '86400000' });
    const operation = await ended(alice, originTxHash);
    expect(operation.status).toBe('COMPLETED');
    expect(operation.settlement?.txHash).toBe(promised?.destinationTxHash);
    expect(await findReleases(environment, operation.id)).toHaveLength(1);
    expect(await readUsdc('ethereum', destination)).toBe(BigInt(operation.outputAmount));
  });
});

describe('a delivery that no block takes', () => {
  it('is replaced under the same nonce once the market is above its fees, not before, and paid once', async () => {
    const { ethereum, book } = environment;
    const { originTxHash: funded } = await alice.deposit('USDC', AMOUNT, alice.account.address);
    await ended(alice, funded);
    const destination = stranger();
    let stopped = false;
    const ethereumRpcUrl = await environment.proxyBefore('ethereum', {
      beforeNode: async (methods) => {
        if (!stopped && methods.includes('eth_sendRawTransaction')) {
          stopped = true;
          await ethereum.test.setIntervalMining({ interval: 0 });
        }
        return true;
      },
    });
    await environment.restartRelayer({ ETHEREUM_RPC_URLS: ethereumRpcUrl, REPLACE_AFTER_MS: '5000' });
    const { originTxHash } = await alice.burn('USDC', AMOUNT, destination, AMOUNT);
    const sentAs = async () => (await alice.status(originTxHash))?.destinationTxHash ?? null;
    let [first, second]: (Hex | null)[] = [null, null];
    try {
      await waitUntil('it is sent', async () => (await sentAs()) !== null);
      first = await sentAs();
      // Longer than REPLACE_AFTER_MS: the age alone does not raise a fee.
      await new Promise((resolve) => setTimeout(resolve, 8_000));
      expect(await sentAs()).toBe(first);
      const { maxFeePerGas = 0n } = await ethereum.client.getTransaction({ hash: first! });
      await ethereum.test.setNextBlockBaseFeePerGas({ baseFeePerGas: 2n * maxFeePerGas });
      await ethereum.test.mine({ blocks: 1 });
      await waitUntil('it is replaced', async () => (await sentAs()) !== first);
      second = await sentAs();
    } finally {
      await ethereum.test.setIntervalMining({ interval: 1 });
    }
    const operation = await ended(alice, originTxHash);
    expect(operation.status).toBe('COMPLETED');
    expect(operation.settlement?.txHash).toBe(second);
    const replaced = await ethereum.client.getTransaction({ hash: second! });
    expect(await ethereum.client.getTransactionReceipt({ hash: first! }).catch(() => null)).toBeNull();
    expect(replaced.nonce).toBe((await ethereum.client.getTransactionCount({ address: book.relayer })) - 1);
    expect(await findReleases(environment, operation.id)).toHaveLength(1);
    expect(await readUsdc('ethereum', destination)).toBe(BigInt(operation.outputAmount));
  });
});
