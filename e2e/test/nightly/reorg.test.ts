import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { broadcast } from '@causeway/chain';
import { isTerminal, parseAmount } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import { openStore, type Store } from '@causeway/store';
import type { Hex } from 'viem';
import { waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import {
  countCalls,
  killAroundBroadcast,
  revertEthereum,
  temporaryEnvironment,
  type TestEnvironment,
} from '../temporary-environment.js';

let environment: TestEnvironment;
let store: Store;
let alice: User;

beforeAll(async () => {
  environment = await temporaryEnvironment();
  store = openStore({ databaseUrl: environment.stack.databaseUrl, onIdleError: () => undefined });
  alice = new User(environment, environment.accounts.alice);
});
afterEach(async () => environment.restoreRelayer());
afterAll(async () => {
  await store?.close();
  await environment?.stop();
});

const usdc = (amount: string) => parseAmount('USDC', amount);
const deposit = async (amount: string) =>
  (await alice.deposit('USDC', usdc(amount), alice.account.address)).originTxHash;

/** Makes a deposit that a reorg removes. Its delivery is journalled, and the relayer is killed before the broadcast. */
async function losingADeposit(amount: string): Promise<Hex> {
  const { test } = environment.ethereum;
  const { killed } = await killAroundBroadcast(environment, 'partner', 'beforeNode');
  const before = await test.snapshot();
  const lost = await deposit(amount);
  await killed();
  const { id } = (await alice.status(lost))!;
  await revertEthereum(environment, before);
  return id;
}

async function halted(): Promise<void> {
  await waitUntil('the halt is known', async () => (await store.halts.list()).length > 0);
}

async function countMints(depositId: Hex): Promise<number> {
  const where = { address: environment.book.partner.bridgeMint, abi: bridgeMintAbi, eventName: 'Mint' } as const;
  const events = await environment.partner.client.getContractEvents({ ...where, args: { depositId }, fromBlock: 0n });
  return events.length;
}

const operation = async (id: Hex) => (await store.operations.findById(id))!;

describe('a reorg that removes final blocks, while the relayer was killed before the broadcast', () => {
  it('a journalled delivery is not sent; after an operator cancels its nonce, later deliveries continue', async () => {
    const lost = await losingADeposit('100');
    const partner = await countCalls(environment, 'partner');
    await environment.restartRelayer({ PARTNER_RPC_URLS: partner.url });
    await halted();
    await partner.more(5, 'eth_blockNumber');
    expect(partner.of('eth_sendRawTransaction')).toBe(0);
    expect(await environment.relayerCommand('cancel', lost)).toMatchObject({
      code: 1,
      output: expect.stringContaining('halted'),
    });
    expect(await environment.relayerCommand('resume', 'ethereum', '--accept-reorg')).toMatchObject({ code: 0 });
    // The relayer reads the chain in every round.
    await partner.more(5, 'eth_getTransactionCount');
    expect(partner.of('eth_sendRawTransaction')).toBe(0);
    await environment.restartRelayer();

    // Takes the number of the lost deposit, which therefore cannot be paid automatically; the next one can.
    const taking = await deposit('50');
    const next = await deposit('70');
    await waitUntil('the next delivery is signed', async () => Boolean((await alice.status(next))?.destinationTxHash));
    expect(await environment.relayerCommand('cancel', (await alice.status(next))!.id)).toMatchObject({ code: 1 });
    const { nonce } = (await store.journal.findPending(lost))!;
    const sentBefore = await environment.partner.client.getTransactionCount({ address: environment.book.relayer });
    expect(BigInt(sentBefore)).toBe(nonce);

    const shown = await environment.relayerCommand('cancel', lost);
    expect(shown).toMatchObject({ code: 0, output: expect.stringContaining('Nothing was cancelled') });
    expect((await store.journal.findPending(lost))?.isCancelled).toBe(false);
    expect(await environment.relayerCommand('cancel', lost, '--send')).toMatchObject({ code: 0 });
    await waitUntil('the next one is paid', async () => isTerminal((await alice.status(next))!.status));
    expect(await alice.status(next)).toMatchObject({ status: 'COMPLETED' });
    await waitUntil('the cancellation is final', async () => (await store.journal.findPending(lost)) === null);
    expect(await operation(lost)).toMatchObject({ status: 'DELAYED', delayedReason: 'ORIGIN_NOT_CONFIRMED' });
    expect(await countMints(lost)).toBe(0);
    expect((await environment.relayerCommand('unmatched')).output).toContain(`Deposit ${lost} in ${taking}`);
  });

  it('a deposit that is also on the other branch is paid after its confirmations there', async () => {
    const lost = await losingADeposit('40');
    const sentAt: bigint[] = [];
    const partnerRpcUrl = await environment.proxyBefore('partner', {
      beforeNode: async (methods) => {
        if (methods.includes('eth_sendRawTransaction'))
          sentAt.push(await environment.ethereum.client.getBlockNumber({ cacheTime: 0 }));
        return true;
      },
    });
    await environment.restartRelayer({ PARTNER_RPC_URLS: partnerRpcUrl });
    await halted();
    expect(await environment.relayerCommand('resume', 'ethereum', '--accept-reorg')).toMatchObject({ code: 0 });
    const again = await deposit('40');
    expect((await environment.ethereum.client.getTransactionReceipt({ hash: again })).status).toBe('success');
    await waitUntil('it has ended', async () => isTerminal((await operation(lost)).status));
    const { status, origin } = await operation(lost);
    expect({ status, txHash: origin?.txHash }).toEqual({ status: 'COMPLETED', txHash: again });
    // Four confirmations, including the deposit's block.
    expect(sentAt[0]).toBeGreaterThanOrEqual(origin!.blockNumber + 3n);
    expect(await countMints(lost)).toBe(1);
  });

  it('a delivery that is mined despite its cancellation is recognised and paid once', async () => {
    const lost = await losingADeposit('30');
    await environment.restartRelayer();
    await halted();
    await environment.killRelayer();
    expect(await environment.relayerCommand('resume', 'ethereum', '--accept-reorg')).toMatchObject({ code: 0 });
    const call = (await store.journal.findPending(lost))!;
    const delivery = call.transactions[0]!;
    // As if the operator cancelled the delivery while a node still had it.
    expect(await store.journal.cancel(null, call)).toBe(true);
    expect(await broadcast(environment.partner.client, delivery.raw)).toEqual({ kind: 'accepted' });
    await environment.partner.client.waitForTransactionReceipt({ hash: delivery.hash });
    await environment.restartRelayer();
    await waitUntil('it has ended', async () => isTerminal((await operation(lost)).status));
    expect(await operation(lost)).toMatchObject({ status: 'COMPLETED', settlement: { txHash: delivery.hash } });
    await waitUntil('its call has ended', async () => (await store.journal.findPending(lost)) === null);
    expect(await countMints(lost)).toBe(1);
  });
});
