import type { Asset, BridgeOperationResponse, Direction, Side } from '@causeway/sdk';
import {
  computeIntentId,
  computeOperationId,
  computeRefundId,
  valueOf,
  type Beginning,
  type Heads,
  type OperationFacts,
  type PaymentBeginning,
  type TracedPayment,
  type VerifierSettings,
} from '@causeway/verifier';
import type { Address, Hex } from 'viem';
import { CHECK } from '../words/check.js';

const { why: WHY } = CHECK;

/** A value that the chains show, or nothing; with the reason in both cases. */
export interface Shown<T> {
  readonly value?: T;
  readonly why: string;
}

/** A transfer as the chains show it, in the terms of the API. */
export interface Terms {
  readonly kind: 'NUMBERED' | 'INTENT' | 'TRANSFER' | null;
  /** Where it began. Null when the chains show no beginning that belongs to it. */
  readonly begun: Beginning | null;
  readonly delivery: TracedPayment | null;
  readonly id: Shown<Hex>;
  readonly origin: Shown<Hex | null>;
  readonly direction: Shown<Direction>;
  readonly asset: Shown<Asset>;
  readonly amount: Shown<bigint>;
  readonly fee: Shown<bigint>;
  readonly output: Shown<bigint>;
  readonly sender: Shown<Address>;
  readonly recipient: Shown<Address>;
  /** The id that a refund has. Null for what is never refunded. */
  readonly refundId: Shown<Hex | null>;
  /** Whether the delivery pays what the transfer owes. Null without one, or when it is not known. */
  readonly isPaidRight: boolean | null;
  /** Confirmations of the beginning and of the delivery, by the reader's nodes. */
  readonly confirmations: { readonly begun: number; readonly delivery: number };
}

/** Derives the terms of a transfer from facts alone; the claim says only which kind is meant where chains do not. */
export function readTerms(
  asked: Hex,
  claim: BridgeOperationResponse | null,
  facts: OperationFacts,
  settings: VerifierSettings,
): Terms {
  const delivery = valueOf(facts.delivery);
  const found = valueOf(facts.beginning);
  const intent = delivery?.intent ?? null;
  const isOther = found?.kind === 'PAYMENT' && intent !== null && !isInTransaction(found, intent.transferId, settings);
  const begun = isOther ? null : found;
  const problem = 'problem' in facts.beginning ? facts.beginning.problem : WHY.notOnChains;
  const unknown = { why: isOther ? WHY.wrongOrigin : problem };
  const shared = {
    begun,
    delivery,
    isPaidRight: isPaidRight(begun, delivery, settings),
    confirmations: count(begun, delivery, facts),
  };
  const all = {
    kind: null,
    id: unknown,
    origin: isOther ? { value: null, why: WHY.wrongOrigin } : unknown,
    direction: unknown,
    asset: unknown,
    amount: unknown,
    fee: unknown,
    output: unknown,
    sender: unknown,
    recipient: unknown,
    refundId: unknown,
  } as const;
  if (begun?.kind === 'EVENT') return { ...shared, ...ofEvent(begun, settings) };
  const intentTerms = delivery?.name === 'Release' ? ofRelease(delivery, begun, settings) : null;
  if (intentTerms !== null) return { ...shared, ...all, ...intentTerms };
  if (begun === null) return { ...shared, ...all };
  return { ...shared, ...ofPayment(begun, asked, claim, facts, settings) };
}

/** Calls of a transaction among which a paying one is looked for. */
const MAX_CALLS = 1_000;

/** Whether a transfer that a release names is one of a transaction, which can pay several intents. */
function isInTransaction(
  { side, token, transactionHash }: PaymentBeginning,
  id: Hex,
  settings: VerifierSettings,
): boolean {
  const { chainId } = settings[side];
  const asset = findAsset(settings, side, token, '').value ?? '';
  for (let callIndex = 0; callIndex < MAX_CALLS; callIndex += 1)
    if (computeRefundId({ chainId, transactionHash, asset, callIndex }) === id) return true;
  return false;
}

type TermsOnly = Omit<Terms, 'begun' | 'delivery' | 'isPaidRight' | 'confirmations'>;

function ofEvent(event: Extract<Beginning, { kind: 'EVENT' }>, settings: VerifierSettings): TermsOnly {
  const { side, number, token, amount, fee, sender, recipient, transactionHash } = event;
  const why = WHY.ofEvent(side === 'ethereum' ? 'Deposit' : 'Withdraw');
  return {
    kind: 'NUMBERED',
    id: { value: computeOperationId(settings[side], number), why: WHY.recomputed },
    origin: { value: transactionHash, why },
    direction: { value: toDirection(side), why },
    asset: findAsset(settings, side, token, why),
    amount: { value: amount, why },
    fee: { value: fee, why },
    output: { value: amount - fee, why },
    sender: { value: sender, why },
    recipient: { value: recipient, why },
    refundId: { value: null, why: WHY.cannotFail },
  };
}

/** An intent whose release is on the chain, with the signed terms in its data. */
function ofRelease(
  delivery: TracedPayment,
  begun: PaymentBeginning | null,
  settings: VerifierSettings,
): Partial<TermsOnly> {
  const { token, amount, fee, recipient, intent } = delivery;
  const why = intent === null ? WHY.ofEvent('Release') : WHY.ofSignedTerms;
  const id = intent === null ? delivery.id : computeIntentId(settings.partner, intent);
  return {
    kind: 'INTENT',
    id: { value: id, why: intent === null ? why : WHY.recomputed },
    direction: { value: 'PARTNER_TO_ETHEREUM', why },
    asset: findAsset(settings, 'ethereum', token, why),
    amount: { value: intent?.amount ?? amount + fee, why },
    fee: { value: fee, why },
    output: { value: amount, why },
    recipient: { value: intent?.recipient ?? recipient, why },
    ...(intent === null ? {} : { sender: { value: intent.sender, why }, refundId: { value: intent.transferId, why } }),
    ...(begun === null ? {} : { origin: { value: begun.transactionHash, why: WHY.recomputed } }),
  };
}

/** A payment for which no intent is released: it waits, or it can only be refunded. */
function ofPayment(
  begun: PaymentBeginning,
  asked: Hex,
  claim: BridgeOperationResponse | null,
  facts: OperationFacts,
  settings: VerifierSettings,
): TermsOnly {
  const { side, token, transferId, memo, transactionHash, sender, amount } = begun;
  const why = WHY.ofPayment;
  const id = transactionHash === asked ? claim?.id : asked;
  const isPaired = memo !== null && memo === id;
  const isMeant = isPaired || begun.isOnly || transferId === id;
  const common = {
    direction: { value: toDirection(side), why },
    asset: findAsset(settings, side, token, why),
    amount: isMeant ? { value: amount, why } : { why: WHY.notPaired },
    sender: isMeant ? { value: sender, why } : { why: WHY.notPaired },
    refundId: isMeant ? { value: transferId, why: WHY.recomputed } : { why: WHY.notPaired },
  };
  if (transferId === id)
    return {
      kind: 'TRANSFER',
      id: { value: transferId, why: WHY.recomputed },
      origin: { value: transactionHash, why },
      ...common,
      fee: { value: 0n, why },
      output: { value: 0n, why },
      recipient: { value: sender, why },
    };
  const policy = valueOf(facts.policy);
  const fee = policy?.toFee(amount);
  const feeWhy = 'problem' in facts.policy ? facts.policy.problem : WHY.feeMayDiffer;
  const isFeeKnown = isMeant && fee !== undefined && policy?.isSteady === true;
  return {
    kind: 'INTENT',
    id: isPaired ? { value: memo, why } : { why: WHY.notPaired },
    origin: isPaired ? { value: transactionHash, why } : { why: WHY.notPaired },
    ...common,
    fee: isFeeKnown ? { value: fee, why: WHY.recomputed } : { why: feeWhy },
    output: isFeeKnown ? { value: amount - fee, why: WHY.recomputed } : { why: feeWhy },
    recipient: { why: WHY.recipientOfIntent },
  };
}

function isPaidRight(
  begun: Beginning | null,
  delivery: TracedPayment | null,
  { assets }: VerifierSettings,
): boolean | null {
  if (delivery === null) return null;
  const { side, token, recipient, amount, fee, intent } = delivery;
  const owed = begun?.kind === 'EVENT' ? begun : intent === null ? null : { ...intent, fee };
  if (owed === null) return null;
  const isToken =
    begun?.kind !== 'EVENT' ||
    assets.some(({ tokens }) => tokens[begun.side] === begun.token && tokens[side] === token);
  return isToken && recipient === owed.recipient && amount === owed.amount - owed.fee && fee === owed.fee;
}

function count(
  begun: Beginning | null,
  delivery: TracedPayment | null,
  { heads }: OperationFacts,
): Terms['confirmations'] {
  const at = valueOf<Heads>(heads);
  const of = (place: { side: Side; blockNumber: bigint } | null) =>
    at === null || place === null ? 0 : Number(at[place.side].number - place.blockNumber) + 1;
  return { begun: of(begun), delivery: of(delivery) };
}

function findAsset({ assets }: VerifierSettings, side: Side, token: Address, why: string): Shown<Asset> {
  const asset = assets.find(({ tokens }) => tokens[side] === token);
  return asset === undefined ? { why: WHY.ofSettings } : { value: asset.symbol, why };
}

function toDirection(from: Side): Direction {
  return from === 'ethereum' ? 'ETHEREUM_TO_PARTNER' : 'PARTNER_TO_ETHEREUM';
}
