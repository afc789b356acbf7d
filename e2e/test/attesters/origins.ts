import { lower } from '@causeway/chain';
import { getToken } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { requestDeployment, requestDigest } from '@causeway/protocol/admin';
import type { AttestItem } from '@causeway/protocol/attest';
import { anAddress } from '@causeway/test-kit';
import { computeIntentId, computeRefundId, type Intent, type TransferOrigin } from '@causeway/verifier';
import {
  encodeFunctionData,
  keccak256,
  maxUint96,
  parseEventLogs,
  stringToHex,
  type Address,
  type Hex,
  type TransactionReceipt,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { TestEnvironment } from '../temporary-environment.js';
import { COIN, computeTransferId, getDomain } from './consent.js';
import { sendGood, type Key } from './transactions.js';

export type Item<K extends AttestItem['kind']> = Extract<AttestItem, { kind: K }>;

const XCN = 10n ** 18n;
const TRANSFER_GAS = 3_000_000n;

/** Makes deposits by Alice, each for its own recipient. */
export async function deposit(
  environment: TestEnvironment,
  amounts: readonly bigint[],
  symbol: 'USDC' | 'XCN' = 'USDC',
): Promise<Item<'MINT'>[]> {
  const { book, accounts } = environment;
  const [token, spender] = [getToken(book, 'ethereum', symbol), book.ethereum.bridgeLock];
  const approval = encodeFunctionData({
    abi: bridgedTokenAbi,
    functionName: 'approve',
    args: [spender, maxUint96],
  });
  const recipients = amounts.map(() => anAddress());
  const calls = amounts.map((amount, index) => ({
    to: spender,
    gas: 300_000n,
    data: encodeFunctionData({
      abi: bridgeLockAbi,
      functionName: 'deposit',
      args: [token, amount, recipients[index]!],
    }),
  }));
  const receipts = await sendGood(environment, 'ethereum', accounts.alice, [{ to: token, data: approval }, ...calls]);
  return receipts.slice(1).map(({ logs, blockNumber, transactionHash }) => {
    const [event] = parseEventLogs({ abi: bridgeLockAbi, eventName: 'Deposit', logs });
    const { depositId: id, nonce: depositNonce, recipient, amount } = event!.args;
    const payment = { depositNonce, token: getToken(book, 'partner', symbol), recipient: lower(recipient), amount };
    return { kind: 'MINT', id, origin: { blockNumber, transactionHash }, payment };
  });
}

/** Makes burns of USDC by Alice, each for its own destination. */
export async function burn(environment: TestEnvironment, amounts: readonly bigint[]): Promise<Item<'RELEASE'>[]> {
  const { book, accounts } = environment;
  const calls = amounts.map((amount) => ({
    to: book.partner.bridgeMint,
    gas: TRANSFER_GAS,
    data: encodeFunctionData({
      abi: bridgeMintAbi,
      functionName: 'burn',
      args: [getToken(book, 'partner', 'USDC'), amount, anAddress(), maxUint96],
    }),
  }));
  const receipts = await sendGood(environment, 'partner', accounts.alice, calls);
  return receipts.map((receipt) => toRelease(receipt, getToken(book, 'ethereum', 'USDC')));
}

/** Makes withdrawals of native XCN by Bob, each for its own destination. */
export async function withdrawNative(
  environment: TestEnvironment,
  amounts: readonly bigint[],
): Promise<Item<'RELEASE'>[]> {
  const { book, accounts } = environment;
  const abi = bridgeMintAbi;
  const calls = amounts.map((value) => ({
    to: book.partner.bridgeMint,
    value,
    gas: TRANSFER_GAS,
    data: encodeFunctionData({ abi, functionName: 'withdrawNative', args: [anAddress(), maxUint96] }),
  }));
  const receipts = await sendGood(environment, 'partner', accounts.bob, calls);
  return receipts.map((receipt) => toRelease(receipt, getToken(book, 'ethereum', 'XCN')));
}

function toRelease({ logs, blockNumber, transactionHash }: TransactionReceipt, token: Address): Item<'RELEASE'> {
  const [event] = parseEventLogs({ abi: bridgeMintAbi, eventName: 'Withdraw', logs });
  const { withdrawId: id, nonce: withdrawNonce, fee, amount, destination } = event!.args;
  const payment = { withdrawNonce, token, recipient: lower(destination), amount: amount - fee, fee };
  return { kind: 'RELEASE', id, origin: { blockNumber, transactionHash }, payment };
}

/** Signs an intent of native XCN. */
export async function signIntent(
  { book }: TestEnvironment,
  key: Key,
  amount: bigint,
  terms: Partial<Intent> = {},
): Promise<Intent> {
  const intent = {
    sender: lower(key.address),
    recipient: anAddress(),
    amount,
    deadline: BigInt(Math.floor(Date.now() / 1_000) + 1_800),
    nonceHash: keccak256(stringToHex(crypto.randomUUID())),
    ...terms,
  };
  const hash = computeIntentId(getDomain(book, 'partner'), intent);
  return { ...intent, signature: terms.signature ?? (await privateKeyToAccount(key.privateKey).sign({ hash })) };
}

/** Sends native XCN, by default to the relayer wallet. */
export async function pay(
  environment: TestEnvironment,
  key: Key,
  amounts: readonly bigint[],
  to: Address = environment.book.relayer,
): Promise<TransferOrigin[]> {
  const calls = amounts.map((value) => ({ to, value, gas: TRANSFER_GAS }));
  const receipts = await sendGood(environment, 'partner', key, calls);
  return receipts.map(({ blockNumber, transactionHash }) => ({ blockNumber, transactionHash, callIndex: 0 }));
}

/** The release of an intent that a transfer pays, accepted in the block before. */
export async function toIntentItem(
  { book, partner }: TestEnvironment,
  intent: Intent,
  origin: TransferOrigin,
): Promise<Item<'INTENT'>> {
  const policy = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
  const fee = await partner.client.readContract({ ...policy, functionName: 'quoteFee', args: [COIN, intent.amount] });
  const id = computeIntentId(getDomain(book, 'partner'), intent);
  return { kind: 'INTENT', id, origin, intent, fee, judgedAtBlock: origin.blockNumber - 1n };
}

/** Makes paid intents, by default of Alice. The API does not know them. */
export async function payIntents(
  environment: TestEnvironment,
  amounts: readonly bigint[],
  key: Key = environment.accounts.alice,
): Promise<Item<'INTENT'>[]> {
  const intents = await Promise.all(amounts.map(async (amount) => signIntent(environment, key, amount)));
  const origins = await pay(environment, key, amounts);
  return Promise.all(intents.map(async (intent, index) => toIntentItem(environment, intent, origins[index]!)));
}

/** A transfer of native XCN, and its swept amount. */
export interface SweptTransfer {
  readonly origin: TransferOrigin;
  readonly amount: bigint;
}

/** Sweeps the coin of transfers into the float, as the relayer does. */
export async function sweep(
  environment: TestEnvironment,
  key: Key,
  transfers: readonly SweptTransfer[],
): Promise<void> {
  const swept = transfers.map(({ origin, amount }) => ({ transferId: computeTransferId(origin), amount }));
  const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'sweep', args: [swept] });
  const value = swept.reduce((sum, { amount }) => sum + amount, 0n);
  await sendGood(environment, 'partner', key, [
    { to: environment.book.partner.bridgeMint, data, value, gas: TRANSFER_GAS },
  ]);
}

/** The transfer of an intent. */
export const toTransfer = ({ origin, intent }: Item<'INTENT'>): SweptTransfer => ({
  origin: origin!,
  amount: intent.amount,
});

/** Makes native XCN transfers by Bob that pay no intent, with approved refunds. */
export async function payAstray(environment: TestEnvironment, amounts: readonly bigint[]): Promise<Item<'REFUND'>[]> {
  const { bob } = environment.accounts;
  const arrivals = await pay(environment, bob, amounts);
  return Promise.all(
    arrivals.map(async (arrival, index) =>
      approveRefund(environment, { arrival, asset: 'XCN', payer: lower(bob.address), amount: amounts[index]! }),
    ),
  );
}

/** Makes USDC transfers by Alice to the relayer wallet without a burn, with approved refunds. */
export async function payTokensAstray(
  environment: TestEnvironment,
  amounts: readonly bigint[],
): Promise<Item<'REFUND'>[]> {
  const { book, accounts } = environment;
  const abi = bridgedTokenAbi;
  const calls = amounts.map((amount) => ({
    to: getToken(book, 'partner', 'USDC'),
    gas: TRANSFER_GAS,
    data: encodeFunctionData({ abi, functionName: 'transfer', args: [book.relayer, amount] }),
  }));
  const receipts = await sendGood(environment, 'partner', accounts.alice, calls);
  const payer = lower(accounts.alice.address);
  return Promise.all(
    receipts.map(async (receipt, index) =>
      approveRefund(environment, { arrival: toTokenOrigin(receipt), asset: 'USDC', payer, amount: amounts[index]! }),
    ),
  );
}

function toTokenOrigin({ blockNumber, transactionHash, logs }: TransactionReceipt): TransferOrigin {
  return { blockNumber, transactionHash, callIndex: logs[0]!.logIndex };
}

/** An arrival at the relayer wallet. */
export interface Arrival {
  readonly arrival: TransferOrigin;
  readonly asset: 'XCN' | 'USDC';
  readonly payer: Address;
  readonly amount: bigint;
}

/**
 * Makes the refund of an arrival to its payer, with both operators' approval.
 *
 * @param signers Default: both operators.
 */
export async function approveRefund(
  { book, accounts }: TestEnvironment,
  { arrival, asset, payer, amount }: Arrival,
  signers: readonly Key[] = [accounts.firstOperator, accounts.secondOperator],
): Promise<Item<'REFUND'>> {
  const { chainId } = book.partner;
  const id = computeRefundId({ chainId, asset, ...arrival });
  const about = { status: 'REQUESTED', operationId: id, chainId, asset, recipient: null } as const;
  const request = {
    id,
    reason: 'sent by mistake',
    validUntil: Math.floor(Date.now() / 1_000) + 600,
    terms: { kind: 'REFUND_APPROVE', refundId: id, recipient: payer, amount: `${amount}` },
    decidedOn: { about: 'refund', ...about, amount: `${amount}`, payer },
  } as const;
  const hash = requestDigest(requestDeployment(book), request);
  const signatures: Hex[] = [];
  for (const { privateKey } of signers) signatures.push(await privateKeyToAccount(privateKey).sign({ hash }));
  const { reason, validUntil } = request;
  const terms = { status: 'REQUESTED', formerRecipient: null, operationId: id };
  const approval = { requestId: id, reason, validUntil, ...terms, signatures };
  const token = asset === 'XCN' ? COIN : getToken(book, 'partner', asset);
  const payment = { wallet: lower(book.relayer), token, recipient: payer, amount };
  return { kind: 'REFUND', id, arrival, ...payment, approval };
}

/** Whole XCN. */
export const xcn = (whole: number | bigint) => BigInt(whole) * XCN;
