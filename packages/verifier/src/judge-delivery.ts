import { bridgeMintAbi } from '@causeway/contracts/abi';
import { numberToHex, type Address, type Hex } from 'viem';
import { checkCollateral } from './checks/collateral.js';
import { decodeBeginning, getSelectors } from './blocks/events.js';
import { findAcceptance } from './checks/acceptance.js';
import { proveOrigin, type ProvenOrigin } from './checks/origin.js';
import { checkCoinIsFree, checkNotDelivered, checkNotRefunded, checkRecord } from './checks/paid-before.js';
import { provePayment, readWalletAt, readWallets } from './checks/payment.js';
import type { AttestedCall } from './digests/attestation-digest.js';
import { computeIntentId, computeOperationId, computeRefundId } from './digests/ids.js';
import type { Delivery, IntentDelivery } from './items.js';
import type { Side } from './nodes/finality.js';
import { COIN, type AssetSettings } from './settings.js';
import { conclude, expectSame, refuse, wait } from './verdict.js';
import type { TransferKey, Verdict } from './verdict.js';
import { readFinalHeaders, type FinalHeaders, type Verifier } from './verifier.js';

/**
 * Maximum time from the block at which an intent was judged to its transfer: 30 minutes from its acceptance
 * (specification, Limits), plus ten for the age of that block and the clocks of the API and of the chain.
 */
const JUDGED_SECONDS = 1_800n + 600n;

/**
 * Seconds before rechecking whether a transfer was swept, which the relayer does once its block is final. A long wait
 * is rechecked rarely, since many blocks are searched.
 */
const SWEEP_SECONDS = { least: 2, most: 60 } as const;

/** While the newest final block is further in the future, no hold ends: its clock or our own is wrong. */
const FUTURE_SECONDS = 60;

const SWEPT = getSelectors(bridgeMintAbi, ['Swept']);

/** A transfer that pays an intent. */
interface PaidTransfer {
  readonly transferId: Hex;
  readonly amount: bigint;
  /** Timestamp of its block. */
  readonly timestamp: bigint;
  readonly fromBlock: bigint;
}

type NumberedDelivery = Exclude<Delivery, IntentDelivery>;

/**
 * Judges one delivery: whether the origin chain owes exactly this payment, and it was never made. A lying or
 * unavailable node leads to NOT_YET or REFUSE.
 */
export async function judgeDelivery(item: Delivery, verifier: Verifier): Promise<Verdict> {
  const judge = async (): Promise<Verdict> =>
    item.kind === 'INTENT' ? judgeIntent(item, verifier) : judgeNumbered(item, verifier);
  return conclude(judge, verifier.now);
}

async function judgeNumbered(item: NumberedDelivery, verifier: Verifier): Promise<Verdict> {
  const { settings } = verifier;
  const [from, to] = getSides(item);
  const number = item.kind === 'MINT' ? item.payment.depositNonce : item.payment.withdrawNonce;
  const fee = item.kind === 'MINT' ? 0n : item.payment.fee;
  expectSame('WRONG_ID', item.id, computeOperationId(settings[from], number));
  const finals = await readFinalHeaders(verifier);
  const origin = await proveOrigin(verifier, from, item.origin, finals);
  const { event, logIndex } = findEvent(item, origin, settings[from].contract);
  expectSame('WRONG_ID', number, event.number);
  const asset = findAsset(settings.assets, from, event.token);
  const { token, recipient, amount } = item.payment;
  expectSame('WRONG_TOKEN', token, asset.tokens[to]);
  expectSame('WRONG_RECIPIENT', recipient, event.recipient);
  expectSame('WRONG_FEE', fee, event.fee);
  expectSame('WRONG_AMOUNT', amount, event.amount - event.fee);
  const since = item.kind === 'RELEASE' ? await readFinalSince(verifier, item.id, origin) : 0;
  const transfer = { chainId: settings[from].chainId, transactionHash: origin.transaction.hash, callIndex: logIndex };
  await checkRecord(verifier, { transfer, kind: 'DELIVERY', id: item.id });
  const isUsed = item.kind === 'MINT' ? ('isMinted' as const) : ('isReleased' as const);
  const view = { functionName: isUsed, argument: number };
  await checkNotDelivered(verifier, to, { id: item.id, token, recipient, amount, fee }, view, finals);
  if (item.kind === 'MINT') await checkCollateral(verifier, asset, amount, finals);
  else await checkHandedIn(verifier, asset, transfer, finals);
  if (item.kind === 'RELEASE') checkHold(verifier, origin, since, finals);
  return { kind: 'SIGN', call: toCall(item), proof: origin.proof, transfer };
}

function getSides({ kind }: NumberedDelivery): readonly [from: Side, to: Side] {
  return kind === 'MINT' ? ['ethereum', 'partner'] : ['partner', 'ethereum'];
}

function toCall(item: NumberedDelivery): AttestedCall {
  return item.kind === 'MINT'
    ? { kind: 'MINT_MANY', payments: [item.payment] }
    : { kind: 'RELEASE_MANY', payments: [item.payment] };
}

/** The event of our contract with this id, in the proven receipt. */
function findEvent({ kind, id }: NumberedDelivery, { transaction }: ProvenOrigin, contract: string) {
  const name = kind === 'MINT' ? 'Deposit' : 'Withdraw';
  for (const log of transaction.logs) {
    const event = log.address === contract ? decodeBeginning(log) : null;
    if (event?.name === name && event.id === id) return { event, logIndex: log.logIndex };
  }
  return refuse('ORIGIN_NOT_FOUND', `${transaction.hash} has no ${name} event of ${contract} with the id ${id}.`);
}

function findAsset(assets: readonly AssetSettings[], from: Side, token: Address): AssetSettings {
  const asset = assets.find(({ tokens }) => tokens[from] === token);
  return asset ?? refuse('WRONG_TOKEN', `The settings have no asset with the token ${token} on ${from}.`);
}

/** The tokens of a burn arrive with the log after its event, and operators may have refunded them by mistake. */
async function checkHandedIn(
  verifier: Verifier,
  { symbol: asset, tokens }: AssetSettings,
  { chainId, transactionHash, callIndex }: TransferKey,
  finals: FinalHeaders,
): Promise<void> {
  if (tokens.partner === COIN) return;
  const refundId = computeRefundId({ chainId, transactionHash, asset, callIndex: callIndex + 1 });
  await checkNotRefunded(verifier, refundId, finals);
}

async function readFinalSince({ record, now }: Verifier, id: Hex, { proof }: ProvenOrigin): Promise<number> {
  return record.keepFinalSince(id, proof.blockHash, now());
}

/**
 * A hold must have ended by each clock alone. The chain's clock is the time of the newest final block, which is as many
 * blocks behind the head as the origin needed. Our own clock counts since the origin was first seen as final.
 */
function checkHold(
  { settings: { holdSeconds, isLocal }, now }: Verifier,
  { timestamp }: ProvenOrigin,
  since: number,
  { partner }: FinalHeaders,
): void {
  const chainSeconds = Number(partner.timestamp);
  const chainEnd = Number(timestamp) + holdSeconds;
  const ownEnd = isLocal ? 0 : since + holdSeconds;
  if (chainSeconds < chainEnd || now() < ownEnd)
    wait({ time: Math.max(chainEnd, ownEnd) }, 'The hold of the withdrawal has not ended.');
  if (!isLocal && chainSeconds > now() + FUTURE_SECONDS)
    wait({ time: chainSeconds - FUTURE_SECONDS }, 'The newest final block is in the future, so no hold ends.');
}

async function judgeIntent(item: IntentDelivery, verifier: Verifier): Promise<Verdict> {
  const { settings } = verifier;
  const { id, intent, fee, origin } = item;
  expectSame('WRONG_ID', id, computeIntentId(settings.partner, intent));
  const finals = await readFinalHeaders(verifier);
  const proven = await provePayment(verifier, origin, finals);
  const { payment, timestamp } = proven;
  expectSame('WRONG_SENDER', payment.from, intent.sender);
  await checkSender(verifier, intent.sender, finals);
  expectSame('WRONG_WALLET', payment.to, await readWalletAt(verifier, origin.blockNumber));
  expectSame('WRONG_AMOUNT', intent.amount, payment.value);
  if (timestamp > intent.deadline) refuse('DEADLINE_PASSED', `It was mined at ${timestamp}.`);
  const since = await readFinalSince(verifier, id, proven);
  await checkAcceptance(item, proven, verifier);
  const { transactionHash, callIndex } = origin;
  const transfer = { chainId: settings.partner.chainId, transactionHash, callIndex };
  await checkRecord(verifier, { transfer, kind: 'DELIVERY', id });
  const { symbol: asset, tokens } = findAsset(settings.assets, 'partner', COIN);
  const transferId = computeRefundId({ ...transfer, asset });
  const asked = { id, token: tokens.ethereum, recipient: intent.recipient, amount: intent.amount - fee, fee };
  const view = { functionName: 'isIntentReleased', argument: id } as const;
  await checkNotDelivered(verifier, 'ethereum', asked, view, finals);
  await checkCoinIsFree(verifier, transferId, finals);
  checkHold(verifier, proven, since, finals);
  await checkSwept(verifier, { transferId, amount: intent.amount, timestamp, fromBlock: origin.blockNumber }, finals);
  const call = { kind: 'RELEASE_INTENT', intentId: id, transferId, fee, signature: intent.signature } as const;
  return { kind: 'SIGN', call, proof: proven.proof, transfer };
}

/**
 * Intents are paid to the relayer wallet, whose key may be stolen: a thief could send the same coin in a circle. So the
 * coin of each release must have entered the float, from which that key cannot take it. The query filters by transfer
 * and amount, so that other events are never read, however many the thief makes.
 */
async function checkSwept(
  { settings, readers, now }: Verifier,
  { transferId, amount, timestamp, fromBlock }: PaidTransfer,
  { partner }: FinalHeaders,
): Promise<void> {
  const indexed = [transferId, numberToHex(amount, { size: 32 })];
  const events = { address: settings.partner.contract, topics: SWEPT, indexed };
  const swept = await readers.partner.logs({ ...events, fromBlock, toBlock: partner.number }, partner);
  if (swept.length > 0) return;
  const { least, most } = SWEEP_SECONDS;
  const pause = Math.min(most, Math.max(least, Number(partner.timestamp - timestamp) / 100));
  wait({ time: now() + Math.floor(pause) }, 'The coin of the transfer is not in the float.');
}

/** A payment between relayer wallets brings the bridge no coin: their key could repeat it endlessly. */
async function checkSender(verifier: Verifier, sender: Address, finals: FinalHeaders): Promise<void> {
  const wallets = await readWallets(verifier, finals.partner.number);
  if (wallets.includes(sender)) refuse('WRONG_SENDER', `${sender} is a relayer wallet.`);
}

/** The fee is that of the policy at the block that the relayer names, which must be shortly before the transfer. */
async function checkAcceptance(
  { intent, fee, judgedAtBlock, origin }: IntentDelivery,
  { timestamp }: ProvenOrigin,
  verifier: Verifier,
): Promise<void> {
  if (judgedAtBlock >= origin.blockNumber)
    return refuse('ACCEPTANCE_TOO_OLD', `Block ${judgedAtBlock} is not before its transfer.`);
  const header = await verifier.readers.partner.headerAt(judgedAtBlock);
  const seconds = timestamp - header.timestamp;
  if (seconds > JUDGED_SECONDS) return refuse('ACCEPTANCE_TOO_OLD', `It was judged ${seconds} seconds before.`);
  const acceptance = await findAcceptance({ intent, judgedAtBlock }, header, verifier);
  expectSame('WRONG_FEE', fee, acceptance.fee);
}
