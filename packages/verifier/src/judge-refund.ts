import { toEventSelector, type Address, type Hex } from 'viem';
import { decodeBeginning } from './blocks/events.js';
import { recoverSigner } from './checks/key-signature.js';
import { proveOrigin, type ProvenOrigin } from './checks/origin.js';
import { checkCoinIsFree, checkNotRefunded, checkRecord, isUsedUp } from './checks/paid-before.js';
import { provePayment, readWalletAt, readWallets } from './checks/payment.js';
import { computeRefundId } from './digests/ids.js';
import { refundApprovalDigest } from './digests/refund-approval.js';
import type { RefundItem } from './items.js';
import { COIN, type AssetSettings } from './settings.js';
import { conclude, expectSame, refuse, type Verdict } from './verdict.js';
import { readFinalHeaders, type FinalHeaders, type Verifier } from './verifier.js';

/** Coin or tokens that arrived at a relayer wallet. */
interface Arrival extends ProvenOrigin {
  readonly payer: Address;
  readonly wallet: Address;
  readonly amount: bigint;
}

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');

/**
 * Judges one refund of BridgeMint: whether the amount arrived, operators approved the refund, and it was paid on
 * neither chain. Refunds on Ethereum are paid from the wallet's own balance, and no contract requires a consent to
 * them.
 */
export async function judgeRefund(item: RefundItem, verifier: Verifier): Promise<Verdict> {
  return conclude(async () => judge(item, verifier), verifier.now);
}

async function judge(item: RefundItem, verifier: Verifier): Promise<Verdict> {
  const { id, arrival: place, wallet, token, recipient, amount } = item;
  const { partner, assets } = verifier.settings;
  const asset = assets.find(({ tokens }) => tokens.partner === token);
  if (asset === undefined) return refuse('WRONG_TOKEN', `The settings have no asset with the token ${token}.`);
  const transfer = {
    chainId: partner.chainId,
    transactionHash: place.transactionHash,
    callIndex: place.callIndex,
  };
  expectSame('WRONG_ID', id, computeRefundId({ ...transfer, asset: asset.symbol }));
  const finals = await readFinalHeaders(verifier);
  const arrival = token === COIN ? await proveCoin(item, verifier, finals) : await proveToken(item, verifier, finals);
  expectSame('WRONG_WALLET', wallet, arrival.wallet);
  expectSame('WRONG_AMOUNT', amount, arrival.amount);
  await checkApproval(item, arrival, asset, verifier);
  await checkRecord(verifier, { transfer, kind: 'REFUND', id });
  await (token === COIN ? checkCoinIsFree : checkNotRefunded)(verifier, id, finals);
  await checkNotReleased(item, verifier, finals);
  const call = { kind: 'REFUND', refundId: id, wallet, token, recipient, amount } as const;
  return { kind: 'SIGN', call, proof: arrival.proof, transfer };
}

/** BridgeMint pays coin from the call's value, so only the current wallet can return what it received. */
async function proveCoin({ arrival }: RefundItem, verifier: Verifier, finals: FinalHeaders): Promise<Arrival> {
  const proven = await provePayment(verifier, arrival, finals);
  const { from: payer, to, value: amount } = proven.payment;
  const wallet = await readWalletAt(verifier, finals.partner.number);
  if (to === null || to !== wallet) return refuse('WRONG_WALLET', `It went to ${to}; the relayer wallet is ${wallet}.`);
  return { ...proven, payer, wallet: to, amount };
}

/** A transfer of a bridged token to a current or former relayer wallet that no burn handed in. */
async function proveToken({ arrival, token }: RefundItem, verifier: Verifier, finals: FinalHeaders): Promise<Arrival> {
  const proven = await proveOrigin(verifier, 'partner', arrival, finals);
  const { logs, hash } = proven.transaction;
  const transfers = logs.flatMap(({ address, topics, data, logIndex }) => {
    const [topic, from, to] = topics;
    if (address !== token || topic !== TRANSFER || from === undefined || to === undefined) return [];
    return [{ logIndex, payer: toAddress(from), wallet: toAddress(to), amount: BigInt(data) }];
  });
  const found = transfers.find(({ logIndex }) => logIndex === arrival.callIndex);
  if (found === undefined)
    return refuse('ORIGIN_NOT_FOUND', `Log ${arrival.callIndex} is not a transfer of ${token} in ${hash}.`);
  const { payer, wallet, amount } = found;
  if (!(await readWallets(verifier, finals.partner.number)).includes(wallet))
    return refuse('WRONG_WALLET', `${wallet} was never a relayer wallet.`);
  // Each burn hands in one transfer of its sender and amount: the first ones of the transaction.
  const isSame = (one: typeof found) => one.payer === payer && one.wallet === wallet && one.amount === amount;
  const before = transfers.filter((one) => isSame(one) && one.logIndex < found.logIndex).length;
  const { contract } = verifier.settings.partner;
  const burns = logs.filter((log) => {
    const event = log.address === contract ? decodeBeginning(log) : null;
    return event?.token === token && event.sender === payer && event.amount === amount;
  }).length;
  if (before < burns) return refuse('BELONGS_TO_BURN', hash);
  return { ...proven, payer, wallet, amount };
}

function toAddress(word: Hex): Address {
  return `0x${word.slice(-40)}`;
}

async function checkApproval(
  { id: refundId, recipient, approval }: RefundItem,
  { payer, amount }: Arrival,
  { symbol: asset, decimals }: AssetSettings,
  { settings }: Verifier,
): Promise<void> {
  const { partner, operators } = settings;
  const refund = { refundId, chainId: partner.chainId, asset, decimals, amount, payer, recipient };
  const digest = refundApprovalDigest(partner, refund, approval);
  const signers = await Promise.all(approval.signatures.map(async (signature) => recoverSigner(digest, signature)));
  const listed = new Set(operators.addresses.filter((operator) => signers.includes(operator)));
  if (listed.size < operators.needed)
    refuse('NOT_APPROVED', `${listed.size} of ${operators.needed} signatures are of listed operators.`);
}

/** Checks that the failed intent that the approval names was neither signed for nor released. */
async function checkNotReleased({ id, approval }: RefundItem, verifier: Verifier, finals: FinalHeaders): Promise<void> {
  const { operationId } = approval;
  if (operationId === id) return;
  if ((await verifier.record.findById(operationId)).length > 0) refuse('TRANSFER_USED', `It pays ${operationId}.`);
  const view = { functionName: 'isIntentReleased', argument: operationId } as const;
  if (await isUsedUp(verifier, 'ethereum', view, finals)) refuse('ALREADY_DELIVERED', operationId);
}
