import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getToken, parseAmount, type BridgeOperationResponse } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { AdminOperationResponse, AdminRefundResponse } from '@causeway/protocol/admin';
import type { AttestItem, AttestVerdict } from '@causeway/protocol/attest';
import { feeQuoteResponseSchema, refundResponseSchema } from '@causeway/protocol/rest';
import { PlayedAttester, User } from '@causeway/testbed';
import { anAddress, waitUntil } from '@causeway/test-kit';
import { decodeFunctionData, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { AdminClient } from '../../chaos/admin-client.js';
import { freePort, temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';

const XCN = parseAmount('XCN', '6000');
const REFUSE: AttestVerdict = { kind: 'REFUSE', reason: 'PLAYED', why: 'The test refuses it.' };
const SIGN: AttestVerdict = { kind: 'SIGN' };
const ABI = [...bridgeLockAbi, ...bridgeMintAbi];

let environment: TestEnvironment;
let alice: User;
let admin: AdminClient;
let attestPort: number;
/** Attesters in the order of their addresses. */
let keys: readonly Hex[];
let attesters: PlayedAttester[] = [];

beforeAll(async () => {
  environment = await temporaryEnvironment({
    firstDeposits: true,
    holdSeconds: 1,
    ethereumConfirmations: 2,
    partnerConfirmations: 2,
  });
  alice = new User(environment, environment.accounts.alice);
  const { stack, book, accounts } = environment;
  admin = await AdminClient.signIn({ consoleUrl: stack.consoleUrl, book }, accounts.deployer.privateKey);
  attestPort = await freePort();
  await environment.restartRelayer({ ATTEST_PORT: `${attestPort}` });
  keys = Array.from({ length: 3 }, generatePrivateKey).toSorted((one, other) =>
    BigInt(privateKeyToAddress(one)) < BigInt(privateKeyToAddress(other)) ? -1 : 1,
  );
  await setAttesters('ethereum', 2n);
  await setAttesters('partner', 2n);
});
afterAll(async () => {
  await hangUp();
  await environment?.stop();
});

async function sendAttesters(chain: 'ethereum' | 'partner', threshold: bigint, tip = {}): Promise<Hex> {
  const { book, accounts, [chain]: clients } = environment;
  const address = chain === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
  const args = [keys.map(privateKeyToAddress), threshold] as const;
  const call = { address, abi: bridgeLockAbi, functionName: 'setAttesters', args, ...tip } as const;
  return clients.getWallet(accounts.deployer).writeContract(call);
}

async function setAttesters(chain: 'ethereum' | 'partner', threshold: bigint): Promise<void> {
  const { [chain]: clients } = environment;
  const hash = await sendAttesters(chain, threshold);
  expect((await clients.client.waitForTransactionReceipt({ hash })).status).toBe('success');
}

/** Starts some of the attesters, each with its own judgement. */
async function dial(...judges: readonly (((item: AttestItem) => AttestVerdict) | null)[]): Promise<void> {
  await hangUp();
  attesters = judges.flatMap((judge, index) => {
    const privateKey = keys[index];
    if (judge === null || privateKey === undefined) return [];
    return [new PlayedAttester(`http://127.0.0.1:${attestPort}`, { privateKey }, judge)];
  });
}

async function hangUp(): Promise<void> {
  await Promise.all(attesters.map((attester) => attester.stop()));
  attesters = [];
}

/** Waits until an operation has completed, and returns the function that delivered it. */
async function completed(originTxHash: Hex): Promise<string> {
  const isComplete = async () => (await alice.status(originTxHash))?.status === 'COMPLETED';
  await waitUntil(`${originTxHash} is complete`, isComplete, { timeoutMs: 60_000 });
  const { settlement } = (await alice.status(originTxHash)) as BridgeOperationResponse;
  const { client } =
    settlement?.chainId === environment.book.ethereum.chainId ? environment.ethereum : environment.partner;
  const { input } = await client.getTransaction({ hash: settlement!.txHash });
  return decodeFunctionData({ abi: ABI, data: input }).functionName;
}

const delayedAs = (originTxHash: Hex, reason: string) =>
  waitUntil(
    `${originTxHash} waits as ${reason}`,
    async () => (await alice.status(originTxHash))?.delayedReason === reason,
    {
      timeoutMs: 30_000,
    },
  );

/** Reads the console's page of an operation. */
async function readPage(originTxHash: Hex): Promise<AdminOperationResponse> {
  const { depositId, withdrawId } = (await alice.status(originTxHash))!;
  return admin.read(`/operations/${depositId ?? withdrawId}`);
}

async function quoteFee(token: string, amount: string): Promise<bigint> {
  const path = `/bridge/fee-quote?token=${token}&amount=${amount}&direction=PARTNER_TO_ETHEREUM`;
  return BigInt((await alice.get(path, feeQuoteResponseSchema)).feeAmount);
}

/** Makes a transfer that pays no intent, with a refund approved by two operators. Returns the refund's id. */
async function approvedRefund(): Promise<Hex> {
  const { partner, accounts, book } = environment;
  const value = parseAmount('XCN', '6001');
  const hash = await partner.getWallet(accounts.bob).sendTransaction({ to: book.relayer, value });
  const isFailed = async () => (await alice.status(hash))?.status === 'FAILED';
  await waitUntil('the transfer has failed', isFailed, { timeoutMs: 30_000 });
  const id = (await alice.status(hash))!.refundId!;
  for (const operator of [accounts.firstOperator, accounts.secondOperator])
    expect(await environment.operatorCommand(operator, 'refund', 'approve', id)).toMatchObject({ code: 0 });
  return id;
}

describe('a bridge that asks two of three attesters', () => {
  it('completes every kind with the two that answer', async () => {
    await dial(
      () => SIGN,
      null,
      () => SIGN,
    );
    const { address } = alice.account;
    const usdc = parseAmount('USDC', '50');
    const [refundId, ...operations] = await Promise.all([
      approvedRefund(),
      (async () => {
        // One at a time, since they share an account's nonces.
        const eth = await alice.deposit('ETH', parseAmount('ETH', '0.1'), address);
        const xcn = await alice.deposit('XCN', XCN, address);
        return [eth, xcn];
      })(),
      (async () => {
        const burned = await alice.burn('USDC', usdc, address, await quoteFee('USDC', '50'));
        const native = await alice.withdrawNative(XCN, address, await quoteFee('XCN', '6000'));
        return [burned, native, await alice.withdrawXcn(XCN, address, 'attested')];
      })(),
    ]);
    const functions = await Promise.all(operations.flat().map(({ originTxHash }) => completed(originTxHash)));
    expect(functions).toEqual(['mintMany', 'mintMany', 'releaseMany', 'releaseMany', 'releaseIntent']);
    const readRefund = () => alice.get(`/bridge/refunds/${refundId}`, refundResponseSchema);
    await waitUntil('the refund is paid', async () => (await readRefund()).status === 'COMPLETED', {
      timeoutMs: 60_000,
    });
    const seen = attesters[0]!.seen.map(({ stage, item }) => `${stage} ${item.kind}`);
    for (const each of [
      'ACCEPTED MINT',
      'ACCEPTED RELEASE',
      'ACCEPTED INTENT',
      'FINAL MINT',
      'FINAL RELEASE',
      'FINAL REFUND',
    ])
      expect(seen).toContain(each);
    expect(attesters[0]!.seen.some(({ item }) => item.kind === 'INTENT' && item.origin === null)).toBe(true);
  });

  it('delays only the operation that two of three refuse, until they agree', async () => {
    const unwanted = anAddress();
    let isRefused = true;
    const refuse = (item: AttestItem) =>
      isRefused && (item.kind === 'REFUND' || (item.kind === 'MINT' && item.payment.recipient === unwanted))
        ? REFUSE
        : SIGN;
    await dial(() => SIGN, refuse, refuse);
    const deposit = async (recipient: Address) =>
      (await alice.deposit('ETH', parseAmount('ETH', '0.01'), recipient)).originTxHash;
    const [refused, refundId] = await Promise.all([deposit(unwanted), approvedRefund()]);
    await delayedAs(refused, 'ATTESTERS_DISAGREE');
    const readRefund = () => admin.read<AdminRefundResponse>(`/refunds/${refundId}`);
    const { reason, why: sentence } = REFUSE;
    const [signer, ...refusers] = keys.map((key) => privateKeyToAddress(key).toLowerCase());
    for (const read of [() => readPage(refused), readRefund]) {
      const answers = await waitUntil('the console has the answers', async () => {
        const { attesters: found } = await read();
        return found.filter(({ verdict }) => verdict === 'REFUSE').length < 2 ? null : found;
      });
      expect(answers).toEqual([
        { address: signer, verdict: 'SIGN', reason: null, sentence: null, at: expect.any(String) },
        ...refusers.map((address) => ({ address, verdict: 'REFUSE', reason, sentence, at: expect.any(String) })),
      ]);
    }
    await completed(await deposit(alice.account.address));
    expect((await alice.status(refused))?.status).toBe('DELAYED');
    isRefused = false;
    // They repeat the refusal when they reconnect.
    await dial(() => SIGN, refuse, refuse);
    await completed(refused);
    await waitUntil('the refund is paid', async () => (await readRefund()).status === 'COMPLETED', {
      timeoutMs: 60_000,
    });
    for (const read of [() => readPage(refused), readRefund])
      await waitUntil('the console asks no more', async () => (await read()).attesters.length === 0);
    const token = { address: getToken(environment.book, 'partner', 'ETH'), abi: bridgedTokenAbi } as const;
    const balance = await environment.partner.client.readContract({
      ...token,
      functionName: 'balanceOf',
      args: [unwanted],
    });
    expect(balance).toBe(parseAmount('ETH', '0.01'));
  });

  it('delays all while one answers, and continues when another does', async () => {
    await dial(() => SIGN);
    const { originTxHash } = await alice.deposit('ETH', parseAmount('ETH', '0.02'), alice.account.address);
    await delayedAs(originTxHash, 'ATTESTERS_UNAVAILABLE');
    await dial(
      () => SIGN,
      () => SIGN,
    );
    expect(await completed(originTxHash)).toBe('mintMany');
  });

  it('requests signatures again without a pause when a new set voids a call in flight', async () => {
    await dial(
      () => SIGN,
      () => SIGN,
    );
    const { ethereum } = environment;
    const recipient = anAddress();
    const { originTxHash } = await alice.burn(
      'USDC',
      parseAmount('USDC', '40'),
      recipient,
      await quoteFee('USDC', '40'),
    );
    // No block includes the release, which is sent some seconds later.
    await waitUntil('the burn is read', async () => alice.isRead(originTxHash));
    await ethereum.test.setIntervalMining({ interval: 0 });
    try {
      const isSent = async () => (await alice.status(originTxHash))?.status === 'PROCESSING_DESTINATION';
      await waitUntil('the release is sent', isSent, { timeoutMs: 30_000 });
      // The block includes it before the release.
      await sendAttesters('ethereum', 2n, { maxPriorityFeePerGas: 10n ** 11n, maxFeePerGas: 2n * 10n ** 11n });
    } finally {
      await ethereum.test.setIntervalMining({ interval: 1 });
    }
    expect(await completed(originTxHash)).toBe('releaseMany');
    const { calls, timeline } = await readPage(originTxHash);
    expect(calls.map(({ state }) => state)).toEqual(['REVERTED', 'SUCCEEDED']);
    expect(timeline.map(({ cause }) => cause)).not.toContain('DESTINATION_REVERTED');
  });

  it('pays once when a call is not mined before its attestation ends', async () => {
    await environment.restartRelayer({ ATTEST_PORT: `${attestPort}`, ATTEST_VALID_SECONDS: '5' });
    await dial(
      () => SIGN,
      () => SIGN,
    );
    const { ethereum, book } = environment;
    const { address } = alice.account;
    const recipient = anAddress();
    const amount = parseAmount('USDC', '40');
    const fee = await quoteFee('USDC', '40');
    const { originTxHash } = await alice.burn('USDC', amount, recipient, fee);
    // No block includes the release, which is sent some seconds later.
    await waitUntil('the burn is read', async () => alice.isRead(originTxHash));
    await ethereum.test.setIntervalMining({ interval: 0 });
    let behind;
    try {
      const isSent = async () => (await alice.status(originTxHash))?.status === 'PROCESSING_DESTINATION';
      await waitUntil('the release is sent', isSent, { timeoutMs: 30_000 });
      await delayedAs(originTxHash, 'DELIVERY_CANCELLED');
      // It follows the cancelled call.
      behind = await alice.burn('USDC', amount, address, fee);
    } finally {
      await ethereum.test.setIntervalMining({ interval: 1 });
    }
    expect(await Promise.all([originTxHash, behind.originTxHash].map(completed))).toEqual([
      'releaseMany',
      'releaseMany',
    ]);
    const releases = await ethereum.client.getContractEvents({
      address: book.ethereum.bridgeLock,
      abi: bridgeLockAbi,
      eventName: 'Release',
      fromBlock: 0n,
    });
    expect(releases.filter(({ args }) => args.recipient?.toLowerCase() === recipient)).toHaveLength(1);
  });
});
