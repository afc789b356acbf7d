import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount, getToken, type RefundResponse } from '@causeway/protocol';
import { explainResponseSchema, refundResponseSchema } from '@causeway/protocol/rest';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import { anAddress, isLong, waitUntil } from '@causeway/test-kit';
import { reconcile, User } from '@causeway/testbed';
import { Client } from 'pg';
import { erc20Abi, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { killAroundBroadcast, temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

const AMOUNT = parseAmount('XCN', '6000');
const PAYER_FUNDS = parseAmount('XCN', '20000');

type TestAccount = User['account'];

let environment: TestEnvironment;
let alice: User;

beforeAll(async () => {
  environment = await temporaryEnvironment();
  alice = new User(environment, environment.accounts.alice);
});
afterEach(async () => environment.restoreRelayer());
afterAll(async () => environment?.stop());

/** Creates an account for a test, with coin on the partner chain. */
async function aPayer(): Promise<TestAccount> {
  const privateKey = generatePrivateKey();
  const address = privateKeyToAddress(privateKey).toLowerCase() as Address;
  await send(environment.accounts.alice, address, PAYER_FUNDS);
  return { privateKey, address };
}

async function send(from: TestAccount, to: Address, value: bigint): Promise<Hex> {
  const { partner } = environment;
  const hash = await partner.getWallet(from).sendTransaction({ to, value });
  const receipt = await partner.client.waitForTransactionReceipt({ hash });
  expect(receipt.status).toBe('success');
  return hash;
}

/** Waits until a transfer has failed, and returns its refund's id. */
async function failed(hash: Hex): Promise<Hex> {
  await waitUntil('the transfer has failed', async () => (await alice.status(hash))?.status === 'FAILED');
  const operation = await alice.status(hash);
  expect(operation).toMatchObject({ failureReason: 'TRANSFER_UNMATCHED', outputAmount: '0' });
  return operation!.refundId!;
}

const refund = (id: Hex): Promise<RefundResponse> => alice.get(`/bridge/refunds/${id}`, refundResponseSchema);
const became = (id: Hex, status: RefundResponse['status']) =>
  waitUntil(`the refund is ${status}`, async () => (await refund(id)).status === status, { timeoutMs: 60_000 });

async function decide(...words: readonly string[]): Promise<void> {
  const { firstOperator, secondOperator } = environment.accounts;
  for (const operator of [firstOperator, secondOperator])
    expect(await environment.operatorCommand(operator, ...words)).toMatchObject({ code: 0 });
}

const readBalance = (address: Address) => environment.partner.client.getBalance({ address });

async function readPayments(refundId: Hex) {
  return environment.partner.client.getContractEvents({
    address: environment.book.partner.bridgeMint,
    abi: bridgeMintAbi,
    eventName: 'Refunded',
    args: { refundId },
    fromBlock: 0n,
  });
}

describe('a transfer that pays no intent', () => {
  it('is refunded to its payer, to the unit, when two operators approve', async () => {
    const payer = await aPayer();
    const { relayer } = environment.book;
    const hash = await send(payer, relayer, AMOUNT);
    const id = await failed(hash);
    const operation = await alice.status(hash);
    const before = await readBalance(payer.address);
    const { firstOperator, secondOperator, alice: stranger } = environment.accounts;
    expect((await environment.operatorCommand(firstOperator, 'refund', 'list')).output).toContain(id);
    expect(await environment.operatorCommand(stranger, 'refund', 'approve', id)).toMatchObject({ code: 1 });
    expect(await environment.operatorCommand(firstOperator, 'refund', 'approve', id)).toMatchObject({ code: 0 });
    // One operator alone cannot pay, however often.
    expect(await environment.operatorCommand(firstOperator, 'refund', 'approve', id)).toMatchObject({ code: 0 });
    expect((await refund(id)).status).toBe('REQUESTED');
    expect(await environment.operatorCommand(secondOperator, 'refund', 'approve', id)).toMatchObject({ code: 0 });
    await became(id, 'COMPLETED');
    const whole = { amount: `${AMOUNT}`, gasFee: '0', dust: '0' };
    expect((await refund(id)).payment).toMatchObject({ recipient: payer.address, ...whole });
    expect(await readBalance(payer.address)).toBe(before + AMOUNT);
    const payments = await readPayments(id);
    expect(payments).toHaveLength(1);
    expect(await alice.status(hash)).toEqual(operation);
    const explain = `/bridge/explain?hash=${payments[0]!.transactionHash}`;
    expect(await alice.get(explain, explainResponseSchema)).toMatchObject({
      code: 'REFUNDED',
      operationIds: [operation!.id],
    });
    expect((await environment.operatorCommand(firstOperator, 'refund', 'list')).output).toContain('No refund is open');
    expect((await environment.relayerCommand('halts')).output).not.toContain('Refunded');
  });

  it('of a wrong amount is refunded, and the intent stays open for the right one', async () => {
    const payer = await aPayer();
    const user = new User(environment, payer);
    const { intentId } = await user.registerIntent(AMOUNT, payer.address, 'right');
    const wrong = await send(payer, environment.book.relayer, AMOUNT - parseAmount('XCN', '1'));
    const id = await failed(wrong);
    await expect(user.bindOrigin(intentId, wrong)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const right = await send(payer, environment.book.relayer, AMOUNT);
    await waitUntil('the intent is paid', async () => {
      const operation = await alice.status(right);
      return operation?.id === intentId && operation.holdUntil === null && operation.status !== 'CONFIRMING';
    });
    await decide('refund', 'refuse', id);
    await became(id, 'REFUSED');
  });

  it('from before its intent is refunded to another recipient only if two operators name that recipient', async () => {
    const payer = await aPayer();
    const user = new User(environment, payer);
    const early = await send(payer, environment.book.relayer, AMOUNT);
    const id = await failed(early);
    const { intentId } = await user.registerIntent(AMOUNT, payer.address, 'early');
    await expect(user.bindOrigin(intentId, early)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const named = privateKeyToAddress(generatePrivateKey()).toLowerCase() as Address;
    const { firstOperator } = environment.accounts;
    await environment.operatorCommand(firstOperator, 'refund', 'approve', id);
    await decide('refund', 'approve', id, '--recipient', named);
    await became(id, 'COMPLETED');
    const { payment } = await refund(id);
    expect(payment?.recipient).toBe(named);
    expect(await readBalance(named)).toBe(BigInt(payment!.amount));
  });

  it.each(isLong ? (['beforeNode', 'afterNode'] as const) : (['afterNode'] as const))(
    'is paid once when the relayer is killed %s',
    async (moment) => {
      const payer = await aPayer();
      const id = await failed(await send(payer, environment.book.relayer, AMOUNT));
      const before = await readBalance(payer.address);
      const { killed } = await killAroundBroadcast(environment, 'partner', moment);
      await decide('refund', 'approve', id);
      await killed();
      expect((await refund(id)).status).toBe('PENDING');
      await environment.restartRelayer();
      await became(id, 'COMPLETED');
      const { payment } = await refund(id);
      expect(await readBalance(payer.address)).toBe(before + BigInt(payment!.amount));
      expect(await readPayments(id)).toHaveLength(1);
    },
  );
});

/** The last two run only at night: they use the same code as USDC on the partner chain. */
const MISTAKES = [
  ['ethereum', 'ETH', '0.5'],
  ['partner', 'USDC', '300'],
  ['ethereum', 'USDC', '700.000001'],
  ['ethereum', 'XCN', '7'],
] as const;

describe('a transfer to the wallet by mistake', () => {
  it.each(isLong ? MISTAKES : MISTAKES.slice(0, 2))('on %s is refunded there: %s', async (side, asset, amount) => {
    const { accounts, book } = environment;
    const value = parseAmount(asset, amount);
    const { client, getWallet } = environment[side];
    const token = { address: getToken(book, side, asset), abi: erc20Abi } as const;
    const held = (account: Address) =>
      asset === 'ETH'
        ? client.getBalance({ address: account })
        : client.readContract({ ...token, functionName: 'balanceOf', args: [account] });
    if (side === 'partner') {
      await alice.deposit(asset, 2n * value, accounts.alice.address);
      await waitUntil('the deposit has arrived', async () => (await held(accounts.alice.address)) >= value);
    }
    const [wallet, to] = [getWallet(accounts.alice), book.relayer];
    const hash =
      asset === 'ETH'
        ? await wallet.sendTransaction({ to, value })
        : await wallet.writeContract({ ...token, functionName: 'transfer', args: [to, value] });
    const id = await failed(hash);
    const before = await held(accounts.alice.address);
    await decide('refund', 'approve', id);
    await became(id, 'COMPLETED');
    const { payment, chainId } = await refund(id);
    expect(chainId).toBe(book[side].chainId);
    expect(await held(accounts.alice.address)).toBe(before + BigInt(payment!.amount));
    expect(BigInt(payment!.amount) + BigInt(payment!.gasFee) + BigInt(payment!.dust)).toBe(value);
  });
});

describe('a database from before the payment of refunds on Ethereum', () => {
  /** Deletes the payments, like restoring an older copy. */
  async function forgetPayments(ids: readonly Hex[]): Promise<void> {
    const database = new Client({ connectionString: environment.stack.databaseUrl });
    await database.connect();
    const quoted = ids.map((id) => `'${id}'`).join();
    await database.query(
      `BEGIN; SET LOCAL session_replication_role = replica;
       DELETE FROM signed_transaction WHERE call_id IN (SELECT id FROM wallet_call WHERE refund_id IN (${quoted}));
       DELETE FROM wallet_call WHERE refund_id IN (${quoted});
       UPDATE refund SET status = 'APPROVED', paid_amount = NULL, gas_fee = NULL, dust = NULL, tx_hash = NULL,
         settled_at = NULL WHERE id IN (${quoted});
       COMMIT`,
    );
    await database.end();
  }

  it('pays none twice: by its id, or by a transaction that an operator names; others continue', async () => {
    const { accounts, book, ethereum } = environment;
    const value = parseAmount('ETH', '0.25');
    const arrive = async () =>
      failed(await ethereum.getWallet(accounts.alice).sendTransaction({ to: book.relayer, value }));
    // A payment of coin to a contract carries no id.
    const contract = anAddress();
    await ethereum.test.setCode({ address: contract, bytecode: '0x00' });
    const named = await arrive();
    const unnamed = await arrive();
    const other = await arrive();
    await decide('refund', 'approve', named);
    await became(named, 'COMPLETED');
    await decide('refund', 'approve', unnamed, '--recipient', contract);
    await became(unnamed, 'COMPLETED');
    const [payment, paidToContract] = [await refund(named), (await refund(unnamed)).payment!];

    await environment.killRelayer();
    await forgetPayments([named, unnamed]);
    const held = await ethereum.client.getBalance({ address: accounts.alice.address });
    await reconcile(environment);
    await environment.restartRelayer();
    await became(named, 'COMPLETED');
    expect((await refund(named)).payment).toEqual(payment.payment);
    await decide('refund', 'approve', other);
    await became(other, 'COMPLETED');
    const paidToAlice = BigInt((await refund(other)).payment!.amount);
    expect(await ethereum.client.getBalance({ address: accounts.alice.address })).toBe(held + paidToAlice);
    expect((await refund(unnamed)).status).toBe('APPROVED');

    const { nonce } = await ethereum.client.getTransaction({ hash: paidToContract.txHash! });
    const { output } = await environment.relayerCommand('unmatched');
    expect(output).toContain(`nonce ${nonce}, ${paidToContract.txHash}`);
    const words = ['name', `${nonce}`, 'paid before the restore', '--refund', unnamed];
    expect(await environment.relayerCommand(...words)).toMatchObject({ code: 0 });
    await became(unnamed, 'COMPLETED');
    expect((await refund(unnamed)).payment).toEqual(paidToContract);
    expect(await ethereum.client.getBalance({ address: contract })).toBe(BigInt(paidToContract.amount));
  }, 600_000);
});

describe('an intent that two operators reject', () => {
  it('fails once its transfer is final, and is refunded', async () => {
    const payer = await aPayer();
    const user = new User(environment, payer);
    const { intentId } = await user.registerIntent(AMOUNT, payer.address, 'rejected');
    await decide('reject', intentId);
    const hash = await send(payer, environment.book.relayer, AMOUNT);
    await waitUntil('it has failed', async () => (await alice.status(hash))?.status === 'FAILED');
    expect(await alice.status(hash)).toMatchObject({ id: intentId, failureReason: 'REJECTED_BY_OPERATORS' });
    await expect(user.bindOrigin(intentId, `0x${'1'.repeat(64)}`)).rejects.toMatchObject({
      code: 'INTENT_NOT_PENDING',
    });
    const id = (await alice.status(hash))!.refundId!;
    const before = await readBalance(payer.address);
    await decide('refund', 'approve', id);
    await became(id, 'COMPLETED');
    expect(await readBalance(payer.address)).toBe(before + BigInt((await refund(id)).payment!.amount));
  });
});
