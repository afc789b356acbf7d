import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  assetInfo,
  intentDigest,
  intentDomain,
  isTerminal,
  parseAmount,
  type BridgeOperationResponse,
  type OperationStatus,
} from '@causeway/protocol';
import { SmartAccounts, waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import { Pool } from 'pg';
import { concatHex, padHex, serializeErc6492Signature, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { createCheck, listVerdicts } from './claims.js';
import { temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

// Withdrawals of native XCN by smart accounts on the real partner chain, through the real API.

const XCN = parseAmount('XCN', '6000');
const newKey = () => privateKeyToAccount(generatePrivateKey());
const stranger = () => privateKeyToAddress(generatePrivateKey()).toLowerCase() as Address;

let environment: TestEnvironment;
let accounts: SmartAccounts;
let bob: User;
let sql: Pool;

beforeAll(async () => {
  environment = await temporaryEnvironment();
  const { partner } = environment;
  const alice = partner.getWallet(environment.accounts.alice);
  accounts = new SmartAccounts(partner.client, alice, assetInfo('XCN').granularity);
  bob = new User(environment, environment.accounts.bob);
  sql = new Pool({ connectionString: environment.stack.databaseUrl, max: 2 });
  // Withdrawals of XCN are paid from this collateral.
  await bob.deposit('XCN', parseAmount('XCN', '100000'), environment.accounts.bob.address);
});
afterAll(async () => {
  await sql?.end();
  await environment?.stop();
});

let nonces = 0;

/** Makes the terms of an account's intent, with the digest to sign. */
function makeTerms(sender: Address) {
  const [recipient, nonce] = [stranger(), `n${nonces++}`];
  const deadline = Math.floor(Date.now() / 1000) + 1_800;
  const message = { sender, recipient, amount: XCN, deadline: BigInt(deadline), nonce };
  const terms = { senderAddress: sender, recipientAddress: recipient, amountAtomic: XCN.toString(), deadline, nonce };
  return {
    recipient,
    digest: intentDigest(intentDomain(environment.book.partner), message),
    signed: (signature: Hex) => ({ ...terms, idempotencyKey: nonce, signature }),
  };
}

/** Sends a body, and retries while the account is younger than the final block, like clients. */
async function register(body: object) {
  return waitUntil('the account is as it is in a final block', async () => {
    const response = await fetch(`${environment.stack.apiUrl}/bridge/xcn-withdraw-intent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { readonly message?: string };
    if (answer.message?.includes('has changed since block') === true) return null;
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: answer };
  });
}
const accepted = (intentId: Hex) => ({
  status: 200,
  body: { intentId, relayerWalletAddress: environment.book.relayer, status: 'PENDING_ORIGIN_TX' },
});
const refused = (error: string, message: string) => ({
  status: 400,
  retryAfter: null,
  body: { error, message: expect.stringContaining(message) },
});

describe('an account of ERC-4337', () => {
  it('is unavailable until EntryPoint 0.7 deploys it; then the same request is accepted', async () => {
    const account = await accounts.ownedBy(newKey());
    const { address, owner, factory, factoryData } = account;
    const { digest, signed } = makeTerms(address);
    const signature = await owner.sign!({ hash: digest });
    const body = signed(serializeErc6492Signature({ address: factory, data: factoryData, signature }));
    expect(await register(body)).toMatchObject({
      status: 503,
      retryAfter: '2',
      body: { error: 'SIGNATURE_VERIFICATION_UNAVAILABLE', message: expect.stringContaining('deploy') },
    });
    await accounts.fund(address, parseAmount('XCN', '10'));
    expect(await environment.partner.client.getCode({ address })).toBeUndefined();
    const friend = stranger();
    await accounts.handleOps([{ account, call: { to: friend, value: parseAmount('XCN', '1') } }]);
    expect(await environment.partner.client.getBalance({ address: friend })).toBe(parseAmount('XCN', '1'));
    expect(await environment.partner.client.getCode({ address })).toMatch(/^0x/);
    expect(await register(body)).toMatchObject(accepted(digest));
    const { digest: other, signed: signedBy } = makeTerms(address);
    expect(await register(signedBy(await newKey().sign({ hash: other })))).toMatchObject(
      refused('SIGNATURE_INVALID', 'returns 0xffffffff'),
    );
  });
});

/** Binds the origin of an intent, like a client. */
async function bindOrigin(intentId: Hex, senderAddress: Address, originTxHash: Hex) {
  const response = await fetch(`${environment.stack.apiUrl}/bridge/xcn-withdraw-intent/bind-origin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ intentId, senderAddress, originTxHash }),
  });
  return { status: response.status, body: await response.json() };
}

/** Reads the API's answer on an intent. */
async function intentStatus(intentId: Hex): Promise<{ readonly status: OperationStatus }> {
  const response = await fetch(`${environment.stack.apiUrl}/bridge/status?intentId=${intentId}`);
  return (await response.json()) as { status: OperationStatus };
}
/** Returns the first operation of a transaction whose transfers pay no intent, once all are FAILED. */
const failedOperation = (originTxHash: Hex, count: number) =>
  waitUntil('its transfers are FAILED', async () => {
    const response = await fetch(`${environment.stack.apiUrl}/bridge/status?originTxHash=${originTxHash}`);
    const body = (await response.json()) as BridgeOperationResponse;
    return body.status === 'FAILED' && body.otherOperationIds.length === count - 1 ? body : null;
  });
const untilEnded = (intentId: Hex) =>
  waitUntil('it has ended', async () => isTerminal((await intentStatus(intentId)).status));

/** Creates a deployed ERC-4337 account with coins, and an accepted intent signed by its owner. */
async function accountWithIntent() {
  const account = await accounts.ownedBy(newKey());
  await accounts.fund(account.address, 2n * XCN);
  await accounts.handleOps([{ account, call: { to: stranger(), value: parseAmount('XCN', '1') } }]);
  const { digest, signed, recipient } = makeTerms(account.address);
  expect(await register(signed(await account.owner.sign!({ hash: digest })))).toMatchObject(accepted(digest));
  return { account, intentId: digest, recipient };
}

/** Reads the recorded arrivals of a transaction. */
async function arrivals(txHash: Hex) {
  const { rows } = await sql.query<{ payer: string; amount: string; call_index: number; operation_id: string | null }>(
    'SELECT payer, amount, call_index, operation_id FROM inbound_transfer WHERE tx_hash = $1 ORDER BY call_index',
    [txHash],
  );
  return rows;
}
const untilRecorded = (txHash: Hex, count: number) =>
  waitUntil('the arrivals are recorded', async () => (await arrivals(txHash)).length === count);

describe('a payment inside a transaction', () => {
  it('of a user operation pays the intent of its account; each account of a bundle pays its own', async () => {
    const { relayer } = environment.book;
    const [one, other] = [await accountWithIntent(), await accountWithIntent()];
    const { transactionHash, logs } = await accounts.handleOps(
      [one, other].map(({ account }) => ({ account, call: { to: relayer, value: XCN } })),
    );
    // A bundler's client can know only the hash of its user operation.
    const [, userOpHash] = logs.find(({ topics }) => topics[2]?.endsWith(one.account.address.slice(2)))!.topics;
    expect(await bindOrigin(one.intentId, one.account.address, userOpHash!)).toMatchObject({
      status: 200,
      body: { intentId: one.intentId, originTxHash: transactionHash },
    });
    for (const { intentId, recipient, account } of [one, other]) {
      await untilEnded(intentId);
      expect(await intentStatus(intentId)).toMatchObject({
        status: 'COMPLETED',
        originTxHash: transactionHash,
        sender: account.address,
        recipient,
      });
    }
    expect(await arrivals(transactionHash)).toMatchObject([
      { payer: one.account.address, amount: `${XCN}`, operation_id: one.intentId },
      { payer: other.account.address, amount: `${XCN}`, operation_id: other.intentId },
    ]);
  });

  it('waits while the mirror is unavailable and plain transfers are bound, and is paid once it returns', async () => {
    // No server listens at this URL.
    await environment.restartRelayer({ MIRROR_URL: 'http://127.0.0.1:9' });
    const { account, intentId } = await accountWithIntent();
    const call = { to: environment.book.relayer, value: XCN };
    const { transactionHash } = await accounts.handleOps([{ account, call }]);
    expect(await bindOrigin(intentId, account.address, transactionHash)).toMatchObject({ status: 200 });
    const plain = await bob.withdrawXcn(XCN, environment.accounts.bob.address, 'while the mirror is away');
    await untilEnded(plain.intentId);
    expect(await intentStatus(plain.intentId)).toMatchObject({ status: 'COMPLETED' });
    expect(await intentStatus(intentId)).toMatchObject({ status: 'PENDING_ORIGIN_TX' });
    await environment.restoreRelayer();
    await untilEnded(intentId);
    expect(await intentStatus(intentId)).toMatchObject({ status: 'COMPLETED', originTxHash: transactionHash });
  });

  it('through a contract in between is recorded as its own: it pays no intent and becomes a refund', async () => {
    const { relayer } = environment.book;
    const forwarder = (await accounts.deploy('Forwarder', [relayer])).toLowerCase() as Address;
    const { account, intentId } = await accountWithIntent();
    const { transactionHash } = await accounts.handleOps([{ account, call: { to: forwarder, value: XCN } }]);
    expect(await bindOrigin(intentId, account.address, transactionHash)).toMatchObject({
      status: 400,
      body: { error: 'VALIDATION_ERROR', message: expect.stringContaining('originTxHash') },
    });
    await untilRecorded(transactionHash, 1);
    expect(await arrivals(transactionHash)).toMatchObject([{ payer: forwarder }]);
    const failed = await failedOperation(transactionHash, 1);
    expect(failed).toMatchObject({ failureReason: 'TRANSFER_UNMATCHED', sender: forwarder, amount: `${XCN}` });
    const refund = await fetch(`${environment.stack.apiUrl}/bridge/refunds/${failed.refundId}`);
    expect(await refund.json()).toMatchObject({ status: 'REQUESTED', payer: forwarder, amount: `${XCN}` });
    expect(await intentStatus(intentId)).toMatchObject({ status: 'PENDING_ORIGIN_TX' });
  });

  it('is one of fifty of an exchange, each of which becomes a refund', async () => {
    const payout = (await accounts.deploy('Payout')).toLowerCase() as Address;
    const amount = parseAmount('XCN', '1.5');
    const { transactionHash } = await accounts.payOut(payout, environment.book.relayer, amount, 50);
    await untilRecorded(transactionHash, 50);
    const recorded = await arrivals(transactionHash);
    expect(new Set(recorded.map(({ call_index: index }) => index)).size).toBe(50);
    for (const arrival of recorded) expect(arrival).toMatchObject({ payer: payout, amount: `${amount}` });
    const failed = await failedOperation(transactionHash, 50);
    const { otherOperationIds } = failed;
    expect(listVerdicts(await createCheck(environment)(transactionHash, failed), 'disagree')).toEqual([]);
    const { rows } = await sql.query('SELECT DISTINCT id FROM refund WHERE payer = $1 AND amount = $2', [
      payout,
      `${amount}`,
    ]);
    expect(rows).toHaveLength(1 + otherOperationIds.length);
  });

  it('without any call becomes an unexplained difference of its block', async () => {
    const { blockNumber } = await accounts.bequeath(environment.book.relayer, XCN);
    const found = () =>
      sql.query('SELECT amount FROM balance_difference WHERE block_number = $1', [blockNumber.toString()]);
    await waitUntil('the difference is recorded', async () => (await found()).rows.length === 1);
    expect((await found()).rows).toEqual([{ amount: `${XCN}` }]);
  });
});

describe('an account of two owners', () => {
  it('needs both signatures, and pays its intent with a transaction signed by both', async () => {
    const [first, second] = [newKey(), newKey()];
    const account = await accounts.deploy('MultiSigAccount', [first.address, second.address]);
    const { digest, signed, recipient } = makeTerms(account);
    const [a, b] = await Promise.all([first.sign({ hash: digest }), second.sign({ hash: digest })]);
    expect(await register(signed(a))).toMatchObject(refused('SIGNATURE_INVALID', 'reverts'));
    expect(await register(signed(concatHex([b, a])))).toMatchObject(refused('SIGNATURE_INVALID', 'returns 0xffffffff'));
    expect(await register(signed(concatHex([a, b])))).toMatchObject(accepted(digest));
    await accounts.fund(account, XCN);
    const { relayer } = environment.book;
    const { transactionHash } = await accounts.executeSigned(account, [first, second], { to: relayer, value: XCN });
    await untilEnded(digest);
    expect(await intentStatus(digest)).toMatchObject({ status: 'COMPLETED', originTxHash: transactionHash, recipient });
  });
});

describe('a contract that does not accept', () => {
  const ACCEPTED = padHex('0x1626ba7e', { dir: 'right' });
  it.each<[string, Parameters<SmartAccounts['deploy']>, string]>([
    ['reverts', ['RevertingAccount', ['0x']], 'reverts'],
    ['reverts with an error of its own', ['RevertingAccount', ['0x12345678']], 'reverts'],
    ['loops', ['LoopingAccount'], 'out of gas'],
    ['answers short', ['AnsweringAccount', ['0x1626ba7e']], 'returns 4 bytes'],
    ['answers nothing', ['AnsweringAccount', ['0x']], 'returns 0 bytes'],
    ['answers more', ['AnsweringAccount', [concatHex([ACCEPTED, '0x00'])]], 'returns 33 bytes'],
    ['answers a megabyte', ['BombingAccount'], 'returns 1000000 bytes'],
    ['answers as the draft of ERC-1271', ['AnsweringAccount', [padHex('0x20c13b0b', { dir: 'right' })]], 'draft'],
    ['knows only the draft of ERC-1271', ['LegacyAccount'], 'reverts'],
  ])('because it %s is refused immediately', async (_, [name, args], reason) => {
    const { signed } = makeTerms(await accounts.deploy(name, args));
    expect(await register(signed('0x51637e'))).toMatchObject(refused('SIGNATURE_INVALID', reason));
  });
});

describe('an account that delegates to a contract (EIP-7702)', () => {
  it('withdraws with a signature of its key or of its contract', async () => {
    const privateKey = generatePrivateKey();
    const [authority, first, second] = [privateKeyToAccount(privateKey), newKey(), newKey()];
    const contract = await accounts.deploy('MultiSigAccount', [first.address, second.address]);
    await accounts.delegate(authority, contract);
    const sender = authority.address.toLowerCase() as Address;
    const { partner, book } = environment;
    await accounts.fund(sender, 3n * XCN);
    const wallet = partner.getWallet({ address: sender, privateKey });
    for (const sign of [
      (hash: Hex) => authority.sign({ hash }),
      async (hash: Hex) => concatHex(await Promise.all([first.sign({ hash }), second.sign({ hash })])),
    ]) {
      const { digest, signed, recipient } = makeTerms(sender);
      expect(await register(signed(await sign(digest)))).toMatchObject(accepted(digest));
      const hash = await wallet.sendTransaction({ to: book.relayer, value: XCN });
      await waitUntil('it has ended', async () => isTerminal((await bob.status(hash))?.status ?? 'CONFIRMING'));
      expect(await bob.status(hash)).toMatchObject({ status: 'COMPLETED', intentId: digest, recipient });
    }
    const { digest, signed } = makeTerms(sender);
    expect(await register(signed(await newKey().sign({ hash: digest })))).toMatchObject(
      refused('SIGNATURE_MISMATCH', 'senderAddress'),
    );
  });
});
