import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { concatHex, parseEther, slice, toFunctionSelector, toHex, type Address, type Hex } from 'viem';
import {
  computeOperationId,
  judgeDelivery,
  MemoryRecord,
  verifyReceiptProof,
  type Delivery,
  type RefusalReason,
} from '../src/index.js';
import { ALICE, BOB, RELAYER, startBridge, type TestBridge } from './bridge.js';
import {
  computeTransferId,
  deliver,
  deposit,
  getTokens,
  intentDelivery,
  lower,
  pay,
  payAndSweep,
  signIntent,
  withdraw,
} from './transfers.js';
import type { Mint, Release } from './transfers.js';
import type { IntentDelivery } from '../src/index.js';

const OTHER: Address = '0x00000000000000000000000000000000000000aa';
const HASH: Hex = `0x${'77'.repeat(32)}`;
/** Deploys a contract that emits any event: four topics, then the data. */
const LOGGER: Hex = '0x60188060095f395ff3608036038060805f376060356040356020355f35845fa400';
const AMOUNT = parseEther('6000');
/** 0.25 % of 6,000 XCN is less than the minimum fee. */
const FEE = parseEther('1000');

let bridge: TestBridge;
let deposits: Record<'ETH' | 'USDC' | 'XCN', Mint>;
let burn: Release;
let native: Release;
let intent: IntentDelivery;

beforeAll(async () => {
  bridge = await startBridge();
  for (const [symbol, amount] of [
    ['ETH', parseEther('2')],
    ['USDC', 5_000_000_000n],
    ['XCN', parseEther('20000')],
  ] as const)
    await deliver(bridge, await deposit(bridge, symbol, amount));
  deposits = {
    ETH: await deposit(bridge, 'ETH', parseEther('1')),
    USDC: await deposit(bridge, 'USDC', 7_000_000n),
    XCN: await deposit(bridge, 'XCN', parseEther('3')),
  };
  burn = await withdraw(bridge, 'USDC', 1_000_000_000n);
  native = await withdraw(bridge, 'XCN', AMOUNT);
  const signed = await signIntent(bridge, ALICE, { amount: AMOUNT });
  intent = intentDelivery(bridge, signed, await payAndSweep(bridge, AMOUNT), FEE);
});

afterAll(async () => bridge?.stop());

const judge = async (item: Delivery) => judgeDelivery(item, bridge.verifier());

describe('an honest delivery', () => {
  it.each([
    ['a mint of ETH', () => deposits.ETH],
    ['a mint of USDC', () => deposits.USDC],
    ['a mint of native XCN', () => deposits.XCN],
    ['a release of a burn', () => burn],
    ['a release of a native withdrawal', () => native],
    ['a release of an intent', () => intent],
  ])('is signed: %s', async (_, item) => {
    const verdict = await judge(item());
    expect(verdict).toMatchObject({ kind: 'SIGN', transfer: { transactionHash: item().origin.transactionHash } });
    if (verdict.kind !== 'SIGN') throw new Error(verdict.why);
    const { receiptsRoot, receiptIndex, receiptPath } = verdict.proof;
    expect(verifyReceiptProof(receiptsRoot, receiptIndex, receiptPath)).toMatch(/^0x/);
  });

  it('returns the exact call', async () => {
    expect(await judge(burn)).toMatchObject({ call: { kind: 'RELEASE_MANY', payments: [burn.payment] } });
    const { signature } = intent.intent;
    expect(await judge(intent)).toMatchObject({
      call: {
        kind: 'RELEASE_INTENT',
        intentId: intent.id,
        transferId: computeTransferId(bridge, intent.origin),
        fee: FEE,
        signature,
      },
    });
  });
});

type Forged = readonly [name: string, reason: RefusalReason, item: () => Delivery];

const forgedMint = (name: string, reason: RefusalReason, change: (item: Mint) => Partial<Mint>): Forged => [
  `mint: ${name}`,
  reason,
  () => ({ ...deposits.USDC, ...change(deposits.USDC) }),
];
const forgedRelease = (name: string, reason: RefusalReason, change: (item: Release) => Partial<Release>): Forged => [
  `release: ${name}`,
  reason,
  () => ({ ...burn, ...change(burn) }),
];
const forgedIntent = (
  name: string,
  reason: RefusalReason,
  change: (item: IntentDelivery) => Partial<IntentDelivery>,
): Forged => [`intent: ${name}`, reason, () => ({ ...intent, ...change(intent) })];

describe('a forged delivery', () => {
  it.each<Forged>([
    forgedMint('another id', 'WRONG_ID', () => ({ id: HASH })),
    forgedMint('another number', 'WRONG_ID', ({ payment }) => ({ payment: { ...payment, depositNonce: 99n } })),
    forgedMint('id and number of another deposit', 'ORIGIN_NOT_FOUND', ({ payment }) => ({
      id: deposits.ETH.id,
      payment: { ...payment, depositNonce: deposits.ETH.payment.depositNonce },
    })),
    forgedMint('another transaction', 'ORIGIN_NOT_FOUND', () => ({ origin: deposits.ETH.origin })),
    forgedMint('a transaction that does not exist', 'ORIGIN_NOT_FOUND', ({ origin }) => ({
      origin: { ...origin, transactionHash: HASH },
    })),
    forgedMint('another block', 'ORIGIN_NOT_FOUND', ({ origin }) => ({
      origin: { ...origin, blockNumber: origin.blockNumber - 1n },
    })),
    forgedMint('another token', 'WRONG_TOKEN', ({ payment }) => ({
      payment: { ...payment, token: getTokens(bridge.settings, 'ETH').partner },
    })),
    forgedMint('the token of Ethereum', 'WRONG_TOKEN', ({ payment }) => ({
      payment: { ...payment, token: getTokens(bridge.settings, 'USDC').ethereum },
    })),
    forgedMint('another recipient', 'WRONG_RECIPIENT', ({ payment }) => ({
      payment: { ...payment, recipient: OTHER },
    })),
    forgedMint('one unit more', 'WRONG_AMOUNT', ({ payment }) => ({
      payment: { ...payment, amount: payment.amount + 1n },
    })),
    forgedMint('one unit less', 'WRONG_AMOUNT', ({ payment }) => ({
      payment: { ...payment, amount: payment.amount - 1n },
    })),
    forgedRelease('another id', 'WRONG_ID', () => ({ id: HASH })),
    forgedRelease('another number', 'WRONG_ID', ({ payment }) => ({ payment: { ...payment, withdrawNonce: 99n } })),
    forgedRelease('another transaction', 'ORIGIN_NOT_FOUND', () => ({ origin: native.origin })),
    forgedRelease('another token', 'WRONG_TOKEN', ({ payment }) => ({
      payment: { ...payment, token: getTokens(bridge.settings, 'XCN').ethereum },
    })),
    forgedRelease('another recipient', 'WRONG_RECIPIENT', ({ payment }) => ({
      payment: { ...payment, recipient: OTHER },
    })),
    forgedRelease('no fee', 'WRONG_FEE', ({ payment }) => ({
      payment: { ...payment, amount: payment.amount + payment.fee, fee: 0n },
    })),
    forgedRelease('a higher fee', 'WRONG_FEE', ({ payment }) => ({
      payment: { ...payment, amount: payment.amount - 1n, fee: payment.fee + 1n },
    })),
    forgedRelease('another amount', 'WRONG_AMOUNT', ({ payment }) => ({
      payment: { ...payment, amount: payment.amount + 1n },
    })),
    forgedIntent('another id', 'WRONG_ID', () => ({ id: HASH })),
    forgedIntent('another recipient', 'WRONG_ID', ({ intent: terms }) => ({ intent: { ...terms, recipient: OTHER } })),
    forgedIntent('another transaction', 'ORIGIN_NOT_FOUND', ({ origin }) => ({
      origin: { ...origin, transactionHash: HASH },
    })),
    forgedIntent('a call that does not exist', 'ORIGIN_NOT_FOUND', ({ origin }) => ({
      origin: { ...origin, callIndex: 3 },
    })),
    forgedIntent('a withdrawal as its transfer', 'WRONG_WALLET', () => ({
      origin: { ...native.origin, callIndex: 0 },
    })),
    forgedIntent('a lower fee', 'WRONG_FEE', ({ fee }) => ({ fee: fee - 1n })),
    forgedIntent('a higher fee', 'WRONG_FEE', ({ fee }) => ({ fee: fee + 1n })),
    forgedIntent('judged in the block of its transfer', 'ACCEPTANCE_TOO_OLD', ({ origin }) => ({
      judgedAtBlock: origin.blockNumber,
    })),
    // The first block of the chain is from 1970.
    forgedIntent('judged long before its transfer', 'ACCEPTANCE_TOO_OLD', () => ({ judgedAtBlock: 0n })),
  ])('is refused: %s', async (_, reason, item) => {
    expect(await judge(item())).toMatchObject({ kind: 'REFUSE', reason });
  });

  it.each<readonly [string, RefusalReason, () => Promise<Delivery>]>([
    ['another signer', 'SIGNATURE_INVALID', async () => signedBy(BOB)],
    ['another sender', 'WRONG_SENDER', async () => toDelivery(await signIntent(bridge, BOB, { amount: AMOUNT }))],
    [
      'another amount',
      'WRONG_AMOUNT',
      async () => toDelivery(await signIntent(bridge, ALICE, { amount: AMOUNT + 1n })),
    ],
    [
      'a deadline before its transfer',
      'DEADLINE_PASSED',
      async () => toDelivery(await signIntent(bridge, ALICE, { amount: AMOUNT, deadline: 1n })),
    ],
    ['the mirrored signature', 'SIGNATURE_INVALID', async () => mirrored()],
    [
      'a signature that is too long',
      'SIGNATURE_INVALID',
      async () => ({ ...intent, intent: { ...intent.intent, signature: `0x${'11'.repeat(1_025)}` } }),
    ],
  ])('is refused: an intent with %s', async (_, reason, make) => {
    expect(await judge(await make())).toMatchObject({ kind: 'REFUSE', reason });
  });

  it('is refused: an intent below the minimum', async () => {
    const amount = parseEther('4999');
    const signed = await signIntent(bridge, ALICE, { amount });
    const item = intentDelivery(bridge, signed, await pay(bridge, ALICE, amount), FEE);
    expect(await judge(item)).toMatchObject({ kind: 'REFUSE', reason: 'BELOW_MINIMUM' });
  });

  it('is refused: a transfer to another address than the relayer wallet', async () => {
    const signed = await signIntent(bridge, ALICE, { amount: AMOUNT });
    const item = intentDelivery(bridge, signed, await pay(bridge, ALICE, AMOUNT, BOB.address), FEE);
    expect(await judge(item)).toMatchObject({ kind: 'REFUSE', reason: 'WRONG_WALLET' });
  });

  it('is refused: a transfer from the relayer wallet to itself, which its key could repeat', async () => {
    const signed = await signIntent(bridge, RELAYER, { amount: AMOUNT });
    const item = intentDelivery(bridge, signed, await pay(bridge, RELAYER, AMOUNT), FEE);
    expect(await judge(item)).toMatchObject({
      kind: 'REFUSE',
      reason: 'WRONG_SENDER',
      why: expect.stringContaining('is a relayer wallet'),
    });
  });

  it('is refused: an event of another contract', async () => {
    const { client, getWallet } = bridge.chains.ethereum;
    const deployment = await getWallet(ALICE).deployContract({ abi: [], bytecode: LOGGER });
    const { contractAddress: to } = await client.waitForTransactionReceipt({ hash: deployment });
    const { transactionHash: real } = deposits.ETH.origin;
    const [log] = (await client.getTransactionReceipt({ hash: real })).logs;
    const id = computeOperationId(bridge.settings.ethereum, 777n);
    // The event of a real deposit, with another number and its id.
    const [selector, , ...topics] = log?.topics ?? [];
    const data = concatHex([selector!, id, ...topics, slice(log!.data, 0, 64), toHex(777n, { size: 32 })]);
    const { blockNumber, transactionHash } = await bridge.send('ethereum', ALICE, { to: to!, data });
    const payment = { ...deposits.ETH.payment, depositNonce: 777n };
    const item = { ...deposits.ETH, id, payment, origin: { blockNumber, transactionHash } };
    expect(await judge(item)).toMatchObject({ kind: 'REFUSE', reason: 'ORIGIN_NOT_FOUND' });
  });

  const toDelivery = (signed: IntentDelivery['intent']) => intentDelivery(bridge, signed, intent.origin, FEE);

  async function signedBy(account: typeof BOB): Promise<Delivery> {
    const { signature } = await signIntent(bridge, account, { ...intent.intent, sender: lower(ALICE.address) });
    return { ...intent, intent: { ...intent.intent, signature } };
  }

  function mirrored(): Delivery {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const { signature } = intent.intent;
    const s = order - BigInt(`0x${signature.slice(66, 130)}`);
    const v = signature.endsWith('1b') ? '1c' : '1b';
    const other: Hex = `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, '0')}${v}`;
    return { ...intent, intent: { ...intent.intent, signature: other } };
  }
});

describe('a payment that was already made', () => {
  it.each([
    ['a mint', async () => deposit(bridge, 'ETH', 1_000n)],
    ['a release of a burn', async () => withdraw(bridge, 'USDC', 20_000_000n)],
    ['a release of an intent', async () => payNewIntent(parseEther('7000'))],
  ] satisfies [string, () => Promise<Delivery>][])('is not signed again: %s', async (_, begin) => {
    const verifier = bridge.verifier();
    const item = await begin();
    expect(await judgeDelivery(item, verifier)).toMatchObject({ kind: 'SIGN' });
    await deliver(bridge, item);
    expect(await judgeDelivery(item, verifier)).toMatchObject({ kind: 'REFUSE', reason: 'ALREADY_DELIVERED' });
  });

  it('uses up a number even with other terms', async () => {
    const item = await deposit(bridge, 'USDC', 9_000_000n);
    await deliver(bridge, { ...item, payment: { ...item.payment, amount: 1n } });
    expect(await judge(item)).toMatchObject({ kind: 'REFUSE', reason: 'NUMBER_USED_UP' });
  });

  it('is signed once for two intents and one transfer, without any record', async () => {
    const amount = parseEther('8000');
    const [first, second] = [await payNewIntent(amount), await signIntent(bridge, ALICE, { amount })];
    await deliver(bridge, first);
    const twin = intentDelivery(bridge, second, first.origin, FEE);
    expect(await judge(twin)).toMatchObject({ kind: 'REFUSE', reason: 'TRANSFER_PAID' });
    const paid = intentDelivery(bridge, second, await payAndSweep(bridge, amount), FEE);
    expect(await judge(paid)).toMatchObject({ kind: 'SIGN' });
  });

  it('is paid once by the contract for two intents and one transfer', async () => {
    const amount = parseEther('8100');
    await deposit(bridge, 'XCN', 2n * amount);
    const [first, second] = [await payNewIntent(amount), await signIntent(bridge, ALICE, { amount })];
    await deliver(bridge, first);
    const twin = intentDelivery(bridge, second, first.origin, first.fee);
    await expect(deliver(bridge, twin)).rejects.toThrow(toFunctionSelector('AlreadyDelivered(bytes32)'));
  });

  it('is not signed for another id when the record has its transfer', async () => {
    const record = new MemoryRecord();
    const amount = parseEther('9000');
    const [first, second] = [await payNewIntent(amount), await signIntent(bridge, ALICE, { amount })];
    const verdict = await judgeDelivery(first, bridge.verifier({ record }));
    if (verdict.kind !== 'SIGN') throw new Error(verdict.why);
    record.add({ transfer: verdict.transfer, kind: 'DELIVERY', id: first.id });
    const verifier = bridge.verifier({ record });
    expect(await judgeDelivery(first, verifier)).toMatchObject({ kind: 'SIGN' });
    const twin = intentDelivery(bridge, second, first.origin, FEE);
    expect(await judgeDelivery(twin, verifier)).toMatchObject({ kind: 'REFUSE', reason: 'TRANSFER_USED' });
    const elsewhere = { ...first, origin: await pay(bridge, ALICE, amount) };
    expect(await judgeDelivery(elsewhere, verifier)).toMatchObject({ kind: 'REFUSE', reason: 'ID_USED' });
  });

  async function payNewIntent(amount: bigint): Promise<IntentDelivery> {
    const signed = await signIntent(bridge, ALICE, { amount });
    const fee = amount / 400n > FEE ? amount / 400n : FEE;
    return intentDelivery(bridge, signed, await payAndSweep(bridge, amount), fee);
  }
});
