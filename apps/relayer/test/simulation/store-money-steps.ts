import { versionOf, type RequestTerms } from '@causeway/protocol/admin';
import type { FinalArrival, RequestEffect, Store, TransferKey } from '@causeway/store';
import { anIntent, CLIENT, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { zeroAddress, type Hex } from 'viem';
import { OPERATORS, RECIPIENTS, type Script } from './store-script.js';
import type { ScriptStep } from './store-steps.js';

const EVERYTHING = 10n ** 9n;

/** What clients and the pairing do with intents and transfers. */
export const INTENT_STEPS: readonly ScriptStep[] = [
  [30, register],
  [14, proposeOrigin],
  [22, bind],
  [10, exchange],
  [8, expire],
];

/** What the stages and operators do about refunds, and what the watch does. */
export const REFUND_STEPS: readonly ScriptStep[] = [
  [12, failArrivals],
  [4, failIntent],
  [12, ask],
  [7, sign],
  [12, carryOut],
  [1, endRequest],
  [6, complete],
  [6, judge],
  [8, account],
  [2, explain],
  [3, keepTotals],
];

async function register(script: Script) {
  const known = script.chance(12) ? script.pick(script.memory.intents.all()) : undefined;
  const sender = known?.sender ?? script.sender();
  const amount = script.amount();
  const recipient = script.chance(80) ? (RECIPIENTS[0] ?? sender) : script.recipient();
  const fresh = { sender, recipient, amount, outputAmount: amount - 10n, id: script.hash() };
  const terms = anIntent({ ...fresh, id: known !== undefined && script.chance(60) ? known.id : fresh.id });
  const intent = {
    id: terms.id,
    sender,
    nonce: (script.chance(50) ? known?.nonce : null) ?? script.hash(8),
    idempotencyKey: (script.chance(50) ? known?.idempotencyKey : null) ?? script.hash(8),
    deadlineSeconds: 2_000_000_000n,
    signature: '0x01' as const,
    expiresAt: script.time(script.chance(90) ? 20 + script.upTo(60) : -30_000),
    ...CLIENT,
    ...(script.chance(10) ? { mostOpenOfClient: 3 } : {}),
  };
  await script.pair.both('intents.register', ({ intents }) => intents.register(terms, intent));
}

async function proposeOrigin(script: Script) {
  const id = anIntentId(script);
  const operation = script.memory.operations.get(id);
  const fitting = script.memory.transfers.filter(
    ({ payer, amount }) => payer === operation?.sender && amount === operation.amount,
  );
  const known = script.chance(70) ? script.pick(fitting)?.txHash : script.pick(script.transferHashes());
  const txHash = known ?? script.hash();
  const nonce = script.chance(50) ? BigInt(script.upTo(9)) : null;
  await script.pair.both('intents.proposeOrigin', ({ intents }) => intents.proposeOrigin(id, txHash, nonce));
}

function anIntentId(script: Script): Hex {
  const open = script.memory.intents.filter(({ id }) => {
    const status = script.memory.operations.get(id)?.status;
    return status === 'PENDING_ORIGIN_TX' || status === 'CONFIRMING' || script.chance(10);
  });
  return script.pick(open)?.id ?? script.hash();
}

function aTransferKey(script: Script): TransferKey | undefined {
  const found = script.pick(script.memory.transfers.all());
  if (found === undefined) return undefined;
  const { chainId, txHash, asset, callIndex } = found;
  return { chainId, txHash, asset, callIndex };
}

async function bind(script: Script) {
  const fence = script.fence();
  const [isPlanned, dice, id, key] = [script.chance(85), script.random(), anIntentId(script), aTransferKey(script)];
  await script.pair.both('intents.bind', async ({ intents }) => {
    const unbound = await intents.findUnbound(PARTNER);
    const chosen = unbound[Math.floor(dice * unbound.length)];
    const planned = chosen?.candidates[Math.floor(dice * chosen.candidates.length)]?.id;
    if (isPlanned && chosen !== undefined && planned !== undefined)
      return [unbound, await intents.bind(fence, chosen.key, planned)];
    return key === undefined ? null : intents.bind(fence, key, id);
  });
}

/** Mostly after a client named the transfer of one intent for an equal one. */
async function exchange(script: Script) {
  const fence = script.fence();
  const [isPlanned, other, key] = [script.chance(80), anIntentId(script), aTransferKey(script)];
  const intents = script.operations(({ kind }) => kind === 'INTENT');
  const holder = script.pick(intents.filter(({ status }) => status === 'CONFIRMING'));
  const equal = intents.filter(
    ({ id, status, sender, recipient, amount }) =>
      (status === 'PENDING_ORIGIN_TX' || status === 'CONFIRMING') &&
      id !== holder?.id &&
      sender === holder?.sender &&
      recipient === holder.recipient &&
      amount === holder.amount,
  );
  const id = script.pick(equal)?.id ?? other;
  const txHash = holder?.originTxHash as Hex | undefined;
  if (txHash !== undefined && equal.length > 0)
    await script.pair.both('intents.proposeOrigin', (store) => store.intents.proposeOrigin(id, txHash));
  await script.pair.both('intents.exchange', async (store) => {
    const found = await store.intents.findExchanges(PARTNER);
    const [planned] = found;
    if (isPlanned && planned !== undefined)
      return [found, await store.intents.exchange(fence, planned.key, planned.id)];
    return key === undefined ? null : store.intents.exchange(fence, key, id);
  });
}

async function expire(script: Script) {
  const fence = script.fence();
  const newest = script.block(PARTNER);
  if (newest === undefined) return;
  const timestamp = script.chance(60) ? script.time(100) : newest.timestamp;
  const hash = script.chance(92) ? newest.hash : script.hash();
  const other = anIntentId(script);
  await script.pair.both('intents.expire', async ({ intents }) => {
    const [id = other] = await intents.findClosedWindows(PARTNER, timestamp);
    return intents.expire(fence, id, { number: newest.number, hash, timestamp });
  });
}

async function failArrivals(script: Script) {
  const [chainId, fence] = [script.chain(), script.fence()];
  const finalBlock = script.head(chainId) - BigInt(script.upTo(3));
  const [wrongHash, other] = [script.chance(8) ? script.hash() : null, script.pick(script.memory.transfers.all())];
  const end = { finalizedAt: script.time(script.upTo(40)), confirmations: 1 + script.upTo(9) };
  const most = 1 + script.upTo(3);
  await script.pair.both(`refunds.failArrivals ${chainId}`, async ({ refunds }) => {
    const found = await refunds.findUnmatched(chainId, finalBlock);
    const arrivals: FinalArrival[] = found.slice(0, most).map((one) => ({ ...one, ...end }));
    if (arrivals[0] !== undefined && wrongHash !== null) arrivals[0] = { ...arrivals[0], blockHash: wrongHash };
    if (other !== undefined) {
      const { txHash, asset, callIndex, payer, amount, blockNumber, blockHash } = other;
      const key = { chainId: other.chainId, txHash, asset, callIndex };
      arrivals.push({ key, payer, amount, blockNumber, blockHash, ...end });
    }
    return refunds.failArrivals(fence, arrivals, { ethereum: ETHEREUM, partner: PARTNER });
  });
}

async function failIntent(script: Script) {
  const fence = script.fence();
  const payable = script.operations(
    ({ kind, status }) =>
      kind === 'INTENT' && (status === 'AWAITING_RELAY' || status === 'DELAYED' || script.chance(8)),
  );
  const id = script.pick(payable)?.id ?? script.hash();
  const reason = script.chance(50) ? 'SIGNATURE_REVOKED' : 'REJECTED_BY_OPERATORS';
  await script.pair.both('refunds.failIntent', ({ refunds }) => refunds.failIntent(fence, id, reason));
}

const SIDES = { ethereum: ETHEREUM, partner: PARTNER };
/** Between two times of the scripts: some requests are overdue, and others are not. */
const LATER_SECONDS = 600;

function aRefundId(script: Script): Hex {
  const waiting = script.memory.refunds.filter(({ status }) => status === 'REQUESTED' || script.chance(20));
  return script.pick(waiting)?.id ?? script.hash();
}

function someTerms(script: Script): RequestTerms {
  const refundId = aRefundId(script);
  const delayed = script.operations(({ status }) => status === 'DELAYED' || script.chance(5));
  const operationId = script.pick(delayed)?.id ?? script.hash();
  const terms: readonly RequestTerms[] = [
    { kind: 'REFUND_APPROVE', refundId, recipient: script.recipient(), amount: script.amount().toString() },
    { kind: 'REFUND_APPROVE', refundId, recipient: script.recipient(), amount: script.amount().toString() },
    { kind: 'REFUND_REFUSE', refundId },
    { kind: 'INTENT_REJECT', intentId: anIntentId(script) },
    { kind: 'RETRY', operationId },
    { kind: 'CANCEL', operationId },
  ];
  return script.pick(terms) ?? { kind: 'REFUND_REFUSE', refundId };
}

function someoneAt(script: Script) {
  const operator = script.pick(OPERATORS) ?? '0x';
  const actor = { address: operator, role: null, sessionId: null };
  return { approval: { operator, signature: script.hash(65) }, by: { actor, now: script.time(0) } };
}

async function ask(script: Script) {
  const { approval, by } = someoneAt(script);
  const open = script.memory.requests.filter(({ state }) => state === 'AWAITING_APPROVAL');
  const terms = (script.chance(20) ? script.pick(open)?.terms : undefined) ?? someTerms(script);
  const id = (script.chance(5) ? script.pick(open)?.id : undefined) ?? script.hash();
  const [approvalsNeeded, isSigned] = [script.upTo(3), script.chance(80)];
  const lasts = script.chance(80) ? LATER_SECONDS : -LATER_SECONDS;
  const validUntil = Math.floor(script.time(0).getTime() / 1_000) + lasts;
  await script.pair.both(`requests.create ${terms.kind}`, async ({ requests }) => {
    const decidedOn = await requests.decidedOn(terms, SIDES);
    const signed = { id, terms, decidedOn, reason: 'a test', version: versionOf(decidedOn), validUntil };
    const request = { ...signed, requestedBy: approval.operator, approvalsNeeded };
    return requests.create(request, isSigned ? approval : null, by);
  });
}

async function sign(script: Script) {
  const { approval, by } = someoneAt(script);
  const id = script.pick(script.memory.requests.all())?.id ?? script.hash();
  await script.pair.both('requests.approve', ({ requests }) => requests.approve(id, approval, by));
}

async function carryOut(script: Script) {
  const [fence, now] = [script.fence(), script.time(0)];
  const queued = script.memory.requests.filter(({ state }) => state === 'QUEUED' || script.chance(5));
  const request = script.pick(queued);
  if (request === undefined) return;
  const { id, terms, version } = request;
  await script.pair.both(`requests.carryOut ${terms.kind}`, async ({ requests, journal }) => {
    const effect = await effectOf(id, terms, journal);
    if (effect === null) return null;
    return requests.carryOut(fence, { id, terms, version }, effect, { outcome: 'a test', now, chains: SIDES });
  });
}

async function effectOf(requestId: Hex, terms: RequestTerms, journal: Store['journal']): Promise<RequestEffect | null> {
  switch (terms.kind) {
    case 'REFUND_APPROVE':
      return { kind: 'approve-refund', refundId: terms.refundId, recipient: terms.recipient, requestId };
    case 'REFUND_REFUSE':
      return { kind: 'refuse-refund', refundId: terms.refundId };
    case 'INTENT_REJECT':
      return { kind: 'reject-intent', intentId: terms.intentId, requestId };
    case 'RETRY':
      return { kind: 'retry', operationId: terms.operationId };
    case 'CANCEL': {
      const call = await journal.findPending(terms.operationId);
      return call === null ? null : { kind: 'cancel', call };
    }
    default:
      return null;
  }
}

async function endRequest(script: Script) {
  const [fence, now, state] = [script.fence(), script.time(0), script.chance(50) ? 'REFUSED' : 'EXPIRED'] as const;
  const id = script.pick(script.memory.requests.all())?.id ?? script.hash();
  await script.pair.both('requests.end', ({ requests }) => requests.end(fence, id, { state, outcome: 'a test', now }));
}

async function complete(script: Script) {
  const [chainId, fence] = [script.chance(85) ? PARTNER : ETHEREUM, script.fence()];
  const wrongHash = script.chance(10) ? script.hash() : null;
  await script.pair.both('refunds.complete', async ({ refunds }) => {
    const [seen] = await refunds.findPaid(chainId, EVERYTHING);
    if (seen === undefined) return null;
    return refunds.complete(fence, { ...seen, blockHash: wrongHash ?? seen.blockHash }, chainId);
  });
}

async function judge(script: Script) {
  const [chainId, fence] = [script.chain(), script.fence()];
  const [limit, verdict] = [1 + script.upTo(4), script.chance(70) ? 'MATCHED' : 'UNKNOWN'] as const;
  await script.pair.both(`verdicts.record ${verdict}`, async ({ verdicts }) => {
    const found = await verdicts.unjudged(chainId, limit);
    const deliveries = found.map(({ delivery }) => delivery);
    return [found, await verdicts.record(fence, chainId, verdict, deliveries)];
  });
}

async function account(script: Script) {
  const wallet = script.wallet();
  const { chainId } = wallet;
  const fence = script.fence();
  const number = script.head(chainId) - BigInt(script.upTo(3)) + (script.chance(8) ? 2n : 0n);
  const known = script.memory.blocks.find(chainId, number);
  const block = {
    hash: (script.chance(92) ? known?.hash : undefined) ?? script.hash(),
    timestamp: known?.timestamp ?? script.time(Number(number)),
  };
  const dust = { wallet: wallet.address, asset: 'XCN', payer: script.sender(), amount: 4n, transfers: 1 } as const;
  const accounted = {
    state: { blockNumber: number, balance: script.amount(), nonce: BigInt(script.upTo(9)) },
    since: script.chance(50) ? null : number - BigInt(script.upTo(3)),
    block,
    transfers: script.chance(30) ? [script.transfer(chainId)] : [],
    dust: script.chance(30) ? [dust] : [],
    difference: script.chance(20) ? -script.amount() : 0n,
  };
  await script.pair.both(`audits.advance ${chainId} to ${number}`, ({ audits }) =>
    audits.advance(fence, wallet, accounted),
  );
}

async function explain(script: Script) {
  const found = script.pick(script.memory.differences.all());
  const [chainId, number] = [found?.chainId ?? PARTNER, found?.blockNumber ?? 1n];
  await script.pair.both('audits.explain', ({ audits }) => audits.explain(chainId, number, 'a test'));
}

async function keepTotals(script: Script) {
  const fence = script.fence();
  const ethereum = { chainId: ETHEREUM, number: script.head(ETHEREUM) };
  const partner = { chainId: PARTNER, number: script.head(PARTNER) };
  const at = script.time(-60 + script.upTo(300));
  await script.pair.both('xcnTotals.keep', async ({ xcnTotals }) => {
    const totals = await xcnTotals.at({ ethereum, partner }, zeroAddress);
    return [totals, await xcnTotals.keep(fence, { ethereum, partner }, totals, at)];
  });
}
