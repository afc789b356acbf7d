import { bridgeMintAbi } from '@causeway/contracts/abi';
import { requestDigest, requestDeployment } from '@causeway/protocol/admin';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  concatHex,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  parseEther,
  toHex,
  type Address,
  type Hex,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import {
  computeRefundId,
  judgeDelivery,
  judgeRefund,
  MemoryRecord,
  type RefundApproval,
  type RefundItem,
  type RefusalReason,
  type TransferOrigin,
} from '../src/index.js';
import { ALICE, BOB, MAXIMUM_FEE, OPERATORS, RELAYER, startBridge, type TestBridge } from './bridge.js';
import {
  deliver,
  deposit,
  getTokens,
  intentDelivery,
  lower,
  pay,
  payRefund,
  payTokens,
  signIntent,
  withdraw,
} from './transfers.js';

const COIN: Address = '0x0000000000000000000000000000000000000000';
const HASH: Hex = `0x${'77'.repeat(32)}`;
const AMOUNT = parseEther('5500.5');
const FEE = parseEther('1000');

let bridge: TestBridge;
let coin: RefundItem;
let tokens: RefundItem;
let requests = 0;

beforeAll(async () => {
  bridge = await startBridge();
  await deliver(bridge, await deposit(bridge, 'USDC', 5_000_000_000n));
  await deliver(bridge, await deposit(bridge, 'XCN', parseEther('30000')));
  coin = await approvedRefund('XCN', await pay(bridge, ALICE, AMOUNT), AMOUNT);
  tokens = await approvedRefund('USDC', await payTokens(bridge, 'USDC', 1_234_567n), 1_234_567n);
});

afterAll(async () => bridge?.stop());

const judge = async (item: RefundItem) => judgeRefund(item, bridge.verifier());

/** The terms of an approval besides the facts of the refund. */
interface Approved {
  readonly recipient?: Address;
  readonly operationId?: Hex;
  readonly signers?: readonly PrivateKeyAccount[];
}

/** A refund with operators' signatures, made by the console's signing code. */
async function approvedRefund(
  asset: string,
  arrival: TransferOrigin,
  amount: bigint,
  { recipient = lower(ALICE.address), operationId, signers = OPERATORS }: Approved = {},
): Promise<RefundItem> {
  const { chainId } = bridge.settings.partner;
  const id = computeRefundId({ chainId, asset, ...arrival });
  const refund = { status: 'REQUESTED', operationId: operationId ?? id, chainId, asset, recipient: null } as const;
  const payer = lower(ALICE.address);
  const request = {
    id: keccak256(toHex((requests += 1))),
    reason: 'sent by mistake, “twice”',
    validUntil: 1_800_000_000,
    terms: { kind: 'REFUND_APPROVE', refundId: id, recipient, amount: `${amount}` },
    decidedOn: { about: 'refund', ...refund, amount: `${amount}`, payer },
  } as const;
  const hash = requestDigest(requestDeployment(bridge.book), request);
  const approval: RefundApproval = {
    requestId: request.id,
    reason: request.reason,
    validUntil: request.validUntil,
    status: refund.status,
    formerRecipient: null,
    operationId: refund.operationId,
    signatures: await Promise.all(signers.map(async (signer) => signer.sign({ hash }))),
  };
  const token = getTokens(bridge.settings, asset).partner;
  return { id, arrival, wallet: lower(RELAYER.address), token, recipient, amount, approval };
}

describe('an honest refund', () => {
  it.each([
    ['native XCN', () => coin],
    ['tokens', () => tokens],
  ])('is signed: %s', async (_, item) => {
    const { id: refundId, wallet, token, recipient, amount } = item();
    const call = { kind: 'REFUND', refundId, wallet, token, recipient, amount };
    expect(await judge(item())).toMatchObject({ kind: 'SIGN', call });
  });

  it('is paid once, by the digest that the contract checks', async () => {
    const item = await approvedRefund('USDC', await payTokens(bridge, 'USDC', 77_000n), 77_000n);
    await payRefund(bridge, item);
    expect(await judge(item)).toMatchObject({ kind: 'REFUSE', reason: 'REFUND_PAID' });
  });
});

const changed = (
  name: string,
  reason: RefusalReason,
  item: () => RefundItem,
  change: (item: RefundItem) => Partial<RefundItem>,
): readonly [string, RefusalReason, () => RefundItem] => [name, reason, () => ({ ...item(), ...change(item()) })];
const changedApproval = (name: string, change: Partial<RefundApproval>) =>
  changed(
    `an approval with ${name}`,
    'NOT_APPROVED',
    () => tokens,
    ({ approval }) => ({ approval: { ...approval, ...change } }),
  );

describe('a forged refund', () => {
  it.each([
    changed(
      'another id',
      'WRONG_ID',
      () => coin,
      () => ({ id: HASH }),
    ),
    changed(
      'another call',
      'WRONG_ID',
      () => coin,
      ({ arrival }) => ({ arrival: { ...arrival, callIndex: 1 } }),
    ),
    changed(
      'another transaction',
      'WRONG_ID',
      () => coin,
      () => ({ arrival: tokens.arrival }),
    ),
    changed(
      'another block',
      'ORIGIN_NOT_FOUND',
      () => coin,
      ({ arrival }) => ({
        arrival: { ...arrival, blockNumber: arrival.blockNumber - 1n },
      }),
    ),
    changed(
      'a token that is not in the settings',
      'WRONG_TOKEN',
      () => tokens,
      () => ({ token: lower(BOB.address) }),
    ),
    changed(
      'another token',
      'WRONG_ID',
      () => tokens,
      () => ({ token: COIN }),
    ),
    changed(
      'another wallet, of coin',
      'WRONG_WALLET',
      () => coin,
      () => ({ wallet: lower(BOB.address) }),
    ),
    changed(
      'another wallet, of tokens',
      'WRONG_WALLET',
      () => tokens,
      () => ({ wallet: lower(BOB.address) }),
    ),
    changed(
      'another recipient',
      'NOT_APPROVED',
      () => coin,
      () => ({ recipient: lower(BOB.address) }),
    ),
    changed(
      'more coin',
      'WRONG_AMOUNT',
      () => coin,
      () => ({ amount: AMOUNT + 1n }),
    ),
    changed(
      'less coin',
      'WRONG_AMOUNT',
      () => coin,
      () => ({ amount: AMOUNT - 1n }),
    ),
    changed(
      'more tokens',
      'WRONG_AMOUNT',
      () => tokens,
      ({ amount }) => ({ amount: amount + 1n }),
    ),
    changed(
      'fewer tokens',
      'WRONG_AMOUNT',
      () => tokens,
      ({ amount }) => ({ amount: amount - 1n }),
    ),
    changedApproval('another request', { requestId: HASH }),
    changedApproval('another reason', { reason: 'another' }),
    changedApproval('another time', { validUntil: 1_900_000_000 }),
    changedApproval('another state', { status: 'APPROVED' }),
    changedApproval('another former recipient', { formerRecipient: lower(BOB.address) }),
    changedApproval('another operation', { operationId: HASH }),
    changedApproval('no signature', { signatures: [] }),
  ])('is refused: %s', async (_, reason, item) => {
    expect(await judge(item())).toMatchObject({ kind: 'REFUSE', reason });
  });

  it("is refused with one operator's signature given twice, and with a stranger's", async () => {
    const [first] = OPERATORS;
    for (const signers of [[first], [first, first], [first, BOB]]) {
      const item = await approvedRefund('USDC', tokens.arrival, tokens.amount, { signers });
      expect(await judge(item)).toMatchObject({ kind: 'REFUSE', reason: 'NOT_APPROVED' });
    }
  });

  it('is refused for tokens that a burn handed in', async () => {
    const { origin } = await withdraw(bridge, 'USDC', 20_000_000n);
    const receipt = await bridge.chains.partner.client.getTransactionReceipt({ hash: origin.transactionHash });
    const callIndex = receipt.logs[1]?.logIndex ?? 0;
    const item = await approvedRefund('USDC', { ...origin, callIndex }, 20_000_000n);
    expect(await judge(item)).toMatchObject({ kind: 'REFUSE', reason: 'BELONGS_TO_BURN' });
  });

  it('is refused for the tokens of each of two equal burns in a transaction', async () => {
    const { chains, book, settings } = bridge;
    const token = getTokens(settings, 'USDC').partner;
    const nonce = BigInt(await chains.partner.client.getTransactionCount({ address: ALICE.address }));
    await payTokens(bridge, 'USDC', 40_000_000n, getContractAddress({ from: ALICE.address, nonce: nonce + 1n }));
    const args = [token, 20_000_000n, BOB.address, MAXIMUM_FEE] as const;
    const burn = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'burn', args });
    // Calls BridgeMint twice with the 132 bytes after the code (CODECOPY, CALL), and jumps over INVALID.
    const call = concatHex(['0x5f5f60845f5f73', book.partner.bridgeMint, '0x5af1']);
    const data = concatHex(['0x6084604b5f39', call, '0x602757fe5b', call, '0x604957fe5b00', burn]);
    const { logs, blockNumber, transactionHash } = await bridge.send('partner', ALICE, { data });
    const handedIn = logs.filter(({ address }) => lower(address) === token);
    expect(handedIn).toHaveLength(2);
    for (const { logIndex: callIndex } of handedIn) {
      const item = await approvedRefund('USDC', { blockNumber, transactionHash, callIndex }, 20_000_000n);
      expect(await judge(item)).toMatchObject({ kind: 'REFUSE', reason: 'BELONGS_TO_BURN' });
    }
  });

  it('is refused for coin and tokens that another account received', async () => {
    const paid = await approvedRefund('XCN', await pay(bridge, ALICE, AMOUNT, BOB.address), AMOUNT);
    for (const wallet of [paid.wallet, lower(BOB.address)])
      expect(await judge({ ...paid, wallet })).toMatchObject({ kind: 'REFUSE', reason: 'WRONG_WALLET' });
    const sent = await approvedRefund('USDC', await payTokens(bridge, 'USDC', 5n, BOB.address), 5n);
    expect(await judge(sent)).toMatchObject({ kind: 'REFUSE', reason: 'WRONG_WALLET' });
  });
});

describe('one transfer', () => {
  it('is not released when the tokens of its burn were refunded', async () => {
    const item = await withdraw(bridge, 'USDC', 30_000_000n);
    const receipt = await bridge.chains.partner.client.getTransactionReceipt({ hash: item.origin.transactionHash });
    const callIndex = receipt.logs[1]?.logIndex ?? 0;
    // Tokens of a plain transfer let the contract pay it.
    await payTokens(bridge, 'USDC', 30_000_000n);
    await payRefund(bridge, await approvedRefund('USDC', { ...item.origin, callIndex }, 30_000_000n));
    expect(await judgeDelivery(item, bridge.verifier())).toMatchObject({ kind: 'REFUSE', reason: 'REFUND_PAID' });
  });

  it('is not released after its refund', async () => {
    const amount = parseEther('6100');
    const signed = await signIntent(bridge, ALICE, { amount });
    const origin = await pay(bridge, ALICE, amount);
    await payRefund(bridge, await approvedRefund('XCN', origin, amount));
    const verdict = await judgeDelivery(intentDelivery(bridge, signed, origin, FEE), bridge.verifier());
    expect(verdict).toMatchObject({ kind: 'REFUSE', reason: 'REFUND_PAID' });
  });

  it('is not refunded after its release, without any record', async () => {
    const amount = parseEther('6200');
    const signed = await signIntent(bridge, ALICE, { amount });
    const item = intentDelivery(bridge, signed, await pay(bridge, ALICE, amount), FEE);
    await deliver(bridge, item);
    const refund = await approvedRefund('XCN', item.origin, amount);
    expect(await judge(refund)).toMatchObject({ kind: 'REFUSE', reason: 'TRANSFER_PAID' });
    const another = await pay(bridge, ALICE, amount);
    const named = await approvedRefund('XCN', another, amount, { operationId: item.id });
    expect(await judge(named)).toMatchObject({ kind: 'REFUSE', reason: 'ALREADY_DELIVERED' });
  });

  it('is not refunded once its release is signed', async () => {
    const record = new MemoryRecord();
    const { transactionHash, callIndex } = coin.arrival;
    const transfer = { chainId: bridge.settings.partner.chainId, transactionHash, callIndex };
    record.add({ transfer, kind: 'DELIVERY', id: HASH });
    const verdict = await judgeRefund(coin, bridge.verifier({ record }));
    expect(verdict).toMatchObject({ kind: 'REFUSE', reason: 'TRANSFER_USED' });
  });
});
