import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { computeRefundId, isTerminal, operationId, parseAmount, getToken } from '@causeway/protocol';
import { historyResponseSchema } from '@causeway/protocol/rest';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { openStore, type Store, type WalletCall } from '@causeway/store';
import { readFileSync, writeFileSync } from 'node:fs';
import { Client } from 'pg';
import { parseEther, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import { killAroundBroadcast, temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';

// The bridge's native XCN on the partner chain: the float in BridgeMint and the balance of the relayer wallet.

const FLOAT = 60_000;
const xcn = (amount: string) => parseAmount('XCN', amount);

let environment: TestEnvironment;
let store: Store;
let alice: User;

beforeAll(async () => {
  environment = await temporaryEnvironment({ floatXcn: FLOAT });
  store = openStore({ databaseUrl: environment.stack.databaseUrl, onIdleError: () => undefined });
  alice = new User(environment, environment.accounts.alice);
});
afterEach(async () => environment.restoreRelayer());
afterAll(async () => {
  await store?.close();
  await environment?.stop();
});

const stranger = (): Address => privateKeyToAddress(generatePrivateKey()).toLowerCase() as Address;
let nonces = 0;
/** An intent's nonce that looks like hex but must be treated as text. */
const aNonce = () => `0x${(0x10 + nonces++).toString(16)}`;

const mint = () => ({ address: environment.book.partner.bridgeMint, abi: bridgeMintAbi }) as const;
const float = () => environment.partner.client.readContract({ ...mint(), functionName: 'float' });
const readBalance = (address: Address) => environment.partner.client.getBalance({ address });
const wallet = () => ({ chainId: environment.stack.partner.chainId, address: environment.book.relayer });
async function pendingSweeps(): Promise<WalletCall[]> {
  const calls = await store.journal.pending(wallet());
  return calls.filter(({ purpose }) => purpose === 'SWEEP');
}

async function completed(originTxHash: Hex) {
  await waitUntil('the operation has ended', async () => isTerminal((await alice.status(originTxHash))!.status));
  const operation = (await alice.status(originTxHash))!;
  expect(operation.status).toBe('COMPLETED');
  return operation;
}

async function xcnOnEthereum(owner: Address): Promise<bigint> {
  const token = { address: getToken(environment.book, 'ethereum', 'XCN'), abi: bridgedTokenAbi } as const;
  return environment.ethereum.client.readContract({ ...token, functionName: 'balanceOf', args: [owner] });
}

async function countReleases(withdrawId: Hex): Promise<number> {
  const lock = { address: environment.book.ethereum.bridgeLock, abi: bridgeLockAbi, eventName: 'Release' } as const;
  const events = await environment.ethereum.client.getContractEvents({ ...lock, args: { withdrawId }, fromBlock: 0n });
  return events.length;
}

/** The transaction that delivered a deposit of XCN. */
async function readDelivery(originTxHash: Hex) {
  const { settlement } = await completed(originTxHash);
  return environment.partner.client.getTransaction({ hash: settlement!.txHash });
}

/** All transfers that the relayer swept, oldest first. */
async function sweeps() {
  const { client } = environment.partner;
  const events = await client.getContractEvents({ ...mint(), eventName: 'Swept', fromBlock: 0n });
  return events.map((event) => ({ amount: event.args.amount, txHash: event.transactionHash }));
}

describe('a deposit of XCN', () => {
  it('is paid from the float while that covers it, else from the wallet', async () => {
    const [before, recipient] = [await float(), stranger()];
    const small = await readDelivery((await alice.deposit('XCN', xcn('50000'), recipient)).originTxHash);
    expect(small.value).toBe(0n);
    expect(before - (await float())).toBe(xcn('50000'));
    const large = await readDelivery((await alice.deposit('XCN', xcn('20000'), recipient)).originTxHash);
    expect(large.value).toBe(xcn('20000'));
    expect(before - (await float())).toBe(xcn('50000'));
    expect(await readBalance(recipient)).toBe(xcn('70000'));
  });

  it('is delayed while neither covers it, and paid from the float after a top-up', async () => {
    const recipient = stranger();
    // The wallet has this amount, but not above its working balance.
    const amount = xcn('975000');
    expect(await readBalance(environment.book.relayer)).toBeGreaterThan(amount);
    const { originTxHash } = await alice.deposit('XCN', amount, recipient);
    await waitUntil('it is delayed', async () => (await alice.status(originTxHash))?.status === 'DELAYED');
    expect(await alice.status(originTxHash)).toMatchObject({ delayedReason: 'FLOAT_SHORT' });
    // It does not block other operations.
    await completed((await alice.deposit('XCN', xcn('1'), recipient)).originTxHash);
    await completed((await alice.deposit('USDC', parseAmount('USDC', '1'), recipient)).originTxHash);
    expect((await alice.status(originTxHash))?.status).toBe('DELAYED');
    await environment.partner
      .getWallet(environment.accounts.bob)
      .writeContract({ ...mint(), functionName: 'topUp', value: xcn('980000') });
    expect((await readDelivery(originTxHash)).value).toBe(0n);
    expect(await readBalance(recipient)).toBe(amount + xcn('1'));
  });
});

describe('a withdrawal of native XCN by the contract', () => {
  it.each(['beforeNode', 'afterNode'] as const)(
    'is released once when the relayer is killed around the broadcast (%s)',
    async (when) => {
      const { killed } = await killAroundBroadcast(environment, 'ethereum', when);
      const [before, destination] = [await float(), stranger()];
      const number = await environment.partner.client.readContract({ ...mint(), functionName: 'withdrawNonce' });
      const { originTxHash } = await alice.withdrawNative(xcn('7000.00000001'), destination, xcn('1000'));
      expect((await float()) - before).toBe(xcn('7000.00000001'));
      await killed();
      const promised = await alice.status(originTxHash);
      expect(promised?.status).toBe('PROCESSING_DESTINATION');
      await environment.restartRelayer({ REPLACE_AFTER_MS: '86400000' });
      const operation = await completed(originTxHash);
      const { partner } = environment.book;
      const withdrawId = operationId(partner.chainId, partner.bridgeMint, number);
      expect(operation).toMatchObject({
        asset: 'XCN',
        direction: 'PARTNER_TO_ETHEREUM',
        withdrawId,
        intentId: null,
        fee: { formatted: '1000' },
        outputAmountFormatted: '6000.00000001',
        settlement: { txHash: promised?.destinationTxHash, credited: false },
      });
      expect(await countReleases(withdrawId)).toBe(1);
      expect(await xcnOnEthereum(destination)).toBe(xcn('6000.00000001'));
      const history = await alice.get(`/bridge/history?address=${destination}`, historyResponseSchema);
      expect(history.operations).toEqual([operation]);
    },
  );
});

describe('the XCN that paid for intents', () => {
  const withdraw = async (amount: string) => (await alice.withdrawXcn(xcn(amount), stranger(), aNonce())).originTxHash;
  const swept = async (count: number) => {
    await waitUntil(
      'it is swept',
      async () => (await sweeps()).length >= count && (await pendingSweeps()).length === 0,
    );
    return (await sweeps()).slice(count - 1);
  };

  /** Pays an intent, and kills the relayer around the broadcast of its sweep. */
  async function killedAtSweep(amount: string, when: 'beforeNode' | 'afterNode') {
    const { killed } = await killAroundBroadcast(environment, 'partner', when);
    const originTxHash = await withdraw(amount);
    await killed();
    return { originTxHash, call: (await pendingSweeps())[0]! };
  }

  it('is swept into the float once final, except what may need a refund', async () => {
    const refundable = await environment.partner
      .getWallet(environment.accounts.bob)
      .sendTransaction({ to: environment.book.relayer, value: xcn('5500') });
    await environment.partner.client.waitForTransactionReceipt({ hash: refundable });
    const [before, held] = [await float(), await readBalance(environment.book.relayer)];
    const originTxHash = await withdraw('6000');
    expect(await swept(1)).toMatchObject([{ amount: xcn('6000') }]);
    expect((await float()) - before).toBe(xcn('6000'));
    // Only the gas of the sweep is missing.
    const gas = held - (await readBalance(environment.book.relayer));
    expect(gas > 0n && gas < xcn('0.01')).toBe(true);
    await completed(originTxHash);
  });

  it('is swept even from a wallet below its working balance', async () => {
    await environment.restartRelayer({ WORKING_BALANCE_XCN: '10000000' });
    await completed(await withdraw('6001'));
    expect(await swept(2)).toMatchObject([{ amount: xcn('6001') }]);
  });

  it.each([
    ['between journal and broadcast', 'beforeNode', '6002', 3],
    ['between the broadcast and its answer', 'afterNode', '6003', 4],
  ] as const)('is swept once by a relayer that is killed %s', async (_, when, amount, count) => {
    const { call } = await killedAtSweep(amount, when);
    await environment.restartRelayer({ REPLACE_AFTER_MS: '86400000' });
    expect(await swept(count)).toEqual([{ amount: xcn(amount), txHash: call.transactions[0]!.hash }]);
  });

  it('is not swept again by a relayer with an older copy of the database', async () => {
    await environment.killRelayer();
    const former = await sweeps();
    const forget = new Client({ connectionString: environment.stack.databaseUrl });
    await forget.connect();
    const recorded = async () =>
      (await forget.query('SELECT 1 FROM inbound_transfer WHERE sweep_id IS NOT NULL')).rows.length;
    await forget.query('UPDATE inbound_transfer SET sweep_id = NULL');
    await environment.restartRelayer();
    await waitUntil('the sweeps are found', async () => (await recorded()) === former.length);
    await forget.end();
    expect(await sweeps()).toEqual(former);
  });

  it('is swept by the next wallet on request of operators, once that has enough to spare', async () => {
    const { accounts, partner, book, stack } = environment;
    const [before, held] = [(await sweeps()).length, await float()];
    // The former wallet signed its sweep and never sent it.
    const { originTxHash } = await killedAtSweep('6004', 'beforeNode');
    const privateKey = generatePrivateKey();
    const next = { address: privateKeyToAddress(privateKey), privateKey };
    const send = async (chain: 'ethereum' | 'partner', value: bigint) => {
      const hash = await environment[chain].getWallet(accounts.bob).sendTransaction({ to: next.address, value });
      await environment[chain].client.waitForTransactionReceipt({ hash });
      return hash;
    };
    for (const chain of ['ethereum', 'partner'] as const) {
      await send(chain, parseEther('100'));
      const address = chain === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
      const call = { address, abi: bridgeMintAbi, functionName: 'setRelayer', args: [next.address] } as const;
      const hash = await environment[chain].getWallet(accounts.deployer).writeContract(call);
      await environment[chain].client.waitForTransactionReceipt({ hash });
    }
    const written = JSON.parse(readFileSync(stack.addressBookFile, 'utf8')) as object;
    writeFileSync(stack.addressBookFile, JSON.stringify({ ...written, relayer: next.address.toLowerCase() }));
    environment.useWallet(next);
    const formerWallets = accounts.relayer.address;
    await environment.restartRelayer({ FORMER_WALLETS: formerWallets, WORKING_BALANCE_XCN: '50' });
    const isShort = async () => (await alice.status(originTxHash))?.delayedReason === 'FLOAT_SHORT';
    await waitUntil('it waits for coin', isShort);
    const txHash = await send('partner', xcn('6100'));
    const { chainId } = wallet();
    const refundId = computeRefundId({ chainId, txHash, asset: 'XCN', callIndex: 0 });
    await waitUntil('its refund is requested', async () => (await store.refunds.find(refundId)) !== null);
    for (const operator of [accounts.firstOperator, accounts.secondOperator])
      expect(await environment.operatorCommand(operator, 'refund', 'refuse', refundId)).toMatchObject({ code: 0 });
    expect((await alice.status(originTxHash))?.status).toBe('DELAYED');
    await environment.restartRelayer({
      FORMER_WALLETS: formerWallets,
      PAY_FOR_WALLETS: formerWallets,
      WORKING_BALANCE_XCN: '50',
    });
    await completed(originTxHash);
    expect((await sweeps()).slice(before)).toMatchObject([{ amount: xcn('6004') }]);
    expect((await float()) - held).toBe(xcn('6004'));
    expect(await partner.client.getBalance({ address: next.address })).toBeGreaterThan(xcn('195'));
  });
});
