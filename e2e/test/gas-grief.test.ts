import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isTerminal, parseAmount, getToken } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { openStore, type Store } from '@causeway/store';
import type { Address } from 'viem';
import { waitUntil } from '@causeway/test-kit';
import { User, type Environment } from '@causeway/testbed';
import { temporaryEnvironment } from './temporary-environment.js';

let environment: Environment;
let store: Store;
let alice: User;

beforeAll(async () => {
  environment = await temporaryEnvironment();
  store = openStore({ databaseUrl: environment.stack.databaseUrl, onIdleError: () => undefined });
  alice = new User(environment, environment.accounts.alice);
});
afterAll(async () => {
  await store?.close();
  await environment?.stop();
});

describe('a recipient that burns more gas at execution than at the estimate', () => {
  it('is credited by the first transaction, without a second transaction of the relayer', async () => {
    const hostile: Address = '0x00000000000000000000000000000000000c0de5';
    // GASPRICE ISZERO PUSH1 6 JUMPI INVALID JUMPDEST STOP: cheap in an estimate, which has no gas price, but burns all
    // gas in a transaction.
    await environment.ethereum.test.setCode({ address: hostile, bytecode: '0x3a15600657fe5b00' });
    const amount = parseAmount('ETH', '1');
    const { originTxHash: funded } = await alice.deposit('ETH', amount, alice.account.address);
    await waitUntil('it is funded', async () => (await alice.status(funded))?.status === 'COMPLETED');
    const { originTxHash } = await alice.burn('ETH', amount, hostile, amount);
    await waitUntil('it has ended', async () => isTerminal((await alice.status(originTxHash))?.status ?? 'CONFIRMING'));
    const { id, outputAmount, settlement } = (await alice.status(originTxHash))!;
    expect(settlement).toMatchObject({ credited: true });
    expect(await store.journal.countReverted([id])).toEqual(new Map());
    const credit = await environment.ethereum.client.readContract({
      address: environment.book.ethereum.bridgeLock,
      abi: bridgeLockAbi,
      functionName: 'claimable',
      args: ['0x0000000000000000000000000000000000000000', hostile],
    });
    expect(credit).toBe(BigInt(outputAmount));
  });

  it('is also credited when it can never receive, and the operation completes', async () => {
    const recipient = environment.book.partner.tokens.ETH;
    const { originTxHash } = await alice.deposit('ETH', 5n, recipient);
    await waitUntil('it has ended', async () => isTerminal((await alice.status(originTxHash))?.status ?? 'CONFIRMING'));
    expect(await alice.status(originTxHash)).toMatchObject({ status: 'COMPLETED', settlement: { credited: true } });
  });

  it('is retried only after a pause when the token burns the gas, which no gas limit bounds', async () => {
    const amount = parseAmount('USDC', '100');
    const { originTxHash: funded } = await alice.deposit('USDC', amount, alice.account.address);
    await waitUntil('it is funded', async () => (await alice.status(funded))?.status === 'COMPLETED');
    // As above. In an estimate, `transfer` adds up the amounts and returns true, and `balanceOf` returns a large number
    // minus that sum.
    const bytecode = '0x3a15600657fe5b36604414601c575f54600160c81b035f5260205ff35b5f54602435015f5560015f5260205ff3';
    const token = getToken(environment.book, 'ethereum', 'USDC');
    await environment.ethereum.test.setCode({ address: token, bytecode });
    const { originTxHash } = await alice.burn('USDC', amount, alice.account.address, amount);
    await waitUntil('it has reverted', async () => (await alice.status(originTxHash))?.status === 'DELAYED');
    const { id } = (await alice.status(originTxHash))!;
    const { delayedReason, nextAttemptAt } = (await store.operations.findById(id))!;
    expect(delayedReason).toBe('DESTINATION_REVERTED');
    expect(nextAttemptAt!.getTime()).toBeGreaterThan(Date.now() + 50_000);
    expect(await store.journal.countReverted([id])).toEqual(new Map([[id, 1]]));
  });
});
