import { randomUUID } from 'node:crypto';
import { intentDomain, xcnWithdrawIntentTypes } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { makeStranger, type Bench } from './bench.js';

const USUAL_SECONDS = 1_800;

/** How an intent differs from a valid one. */
interface IntentChanges {
  /** Seconds until the deadline; negative for the past. */
  readonly seconds?: number;
  readonly amount?: bigint;
  /** The account that it names. Default: the user of the bench. */
  readonly sender?: Address;
  readonly privateKey?: Hex;
  /** The chain that it is signed for. */
  readonly chainId?: number;
}

/** The body of `POST /bridge/xcn-withdraw-intent`. */
export interface IntentBody {
  readonly senderAddress: Address;
  readonly recipientAddress: Address;
  readonly amountAtomic: string;
  readonly idempotencyKey: string;
  readonly deadline: number;
  readonly nonce: string;
  readonly signature: string;
}

/** Signs a new intent of the bench's user. */
export async function signIntent(bench: Bench, changes: IntentChanges = {}): Promise<IntentBody> {
  const { account, environment } = bench;
  const { seconds = USUAL_SECONDS, amount = bench.nextAmount(), sender = account.address } = changes;
  const { privateKey = account.privateKey, chainId = environment.book.partner.chainId } = changes;
  const deadline = Math.floor(Date.now() / 1_000) + seconds;
  const [recipient, nonce] = [makeStranger(), randomUUID()];
  const signature = await privateKeyToAccount(privateKey).signTypedData({
    domain: { ...intentDomain(environment.book.partner), chainId },
    types: xcnWithdrawIntentTypes,
    primaryType: 'XcnWithdrawIntent',
    message: { sender, recipient, amount, deadline: BigInt(deadline), nonce },
  });
  return {
    senderAddress: sender,
    recipientAddress: recipient,
    amountAtomic: `${amount}`,
    idempotencyKey: nonce,
    deadline,
    nonce,
    signature,
  };
}

export interface RegisteredIntent {
  readonly intentId: Hex;
  readonly amount: bigint;
}

/**
 * Signs and registers an intent.
 *
 * @throws Error with the API's answer when it refuses.
 */
export async function registerIntent(bench: Bench, changes: IntentChanges = {}): Promise<RegisteredIntent> {
  await bench.openUser();
  const intent = await signIntent(bench, changes);
  const response = await fetch(`${bench.environment.stack.apiUrl}/bridge/xcn-withdraw-intent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(intent),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The API refuses an intent: ${text}`);
  const { intentId } = JSON.parse(text) as { intentId: Hex };
  return { intentId, amount: BigInt(intent.amountAtomic) };
}

/** Pays the relayer wallet on the partner chain, as for an intent. */
export async function payRelayer(bench: Bench, amount: bigint): Promise<Hex> {
  const { environment, account } = bench;
  await bench.openUser();
  const hash = await environment.partner
    .getWallet(account)
    .sendTransaction({ to: environment.book.relayer, value: amount });
  await bench.mined('partner', hash);
  return hash;
}
