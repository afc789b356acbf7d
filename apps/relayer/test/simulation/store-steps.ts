import type { CallOutcome, CallSubject, NewCall, OperationDelay } from '@causeway/store';
import { anAddress, PARTNER } from '@causeway/test-kit';
import type { Hex } from 'viem';
import type { CallRow } from '../../simulation/store/rows.ts';
import { CHAINS, type Script } from './store-script.js';

/** Something that a history does, and how often, as a weight. */
export type ScriptStep = readonly [weight: number, run: (script: Script) => Promise<unknown>];

/** What the reader, the stages that make origins final, and operators who halt do. */
export const CHAIN_STEPS: readonly ScriptStep[] = [
  [60, (script) => script.mine(script.chain())],
  [1, confirmHead],
  [4, rollBack],
  [6, countConfirmations],
  [20, finalize],
  [8, releaseHolds],
  [6, delay],
  [4, retry],
  [20, settle],
  [6, acquireLease],
  [2, useLease],
  [3, halt],
  [14, lift],
];

/** What the wallet lanes do. */
export const WALLET_STEPS: readonly ScriptStep[] = [
  [22, recordDeliveries],
  [5, (script) => recordOne(script, 'NONCE_GAP')],
  [7, (script) => recordOne(script, 'SWEEP')],
  [7, (script) => recordOne(script, 'RETIREMENT')],
  [7, (script) => recordOne(script, 'REFUND')],
  [6, replace],
  [3, markBroadcast],
  [3, delayPending],
  [4, cancel],
  [30, conclude],
  [3, reopenLost],
];

async function confirmHead(script: Script) {
  const chainId = script.chain();
  const fence = script.fence();
  const nextBlock = script.head(chainId) + (script.chance(80) ? 1n : 2n);
  const cursor = { nextBlock, headBlock: nextBlock + 3n };
  await script.pair.both(`scan.confirmHead ${chainId}`, ({ scan }) => scan.confirmHead(fence, chainId, cursor));
}

async function rollBack(script: Script) {
  const [chainId, fence] = [script.chain(), script.fence()];
  const ancestor = script.ancestor(chainId, 4);
  const result = await script.pair.both(`scan.rollBack ${chainId} to ${ancestor}`, ({ scan }) =>
    scan.rollBack(fence, chainId, ancestor),
  );
  if (result !== null) script.orphan(chainId, ancestor);
}

async function countConfirmations(script: Script) {
  const [chainId, fence] = [script.chain(), script.fence()];
  const head = script.head(chainId) + BigInt(script.upTo(3));
  await script.pair.both(`operations.countConfirmations ${chainId}`, ({ operations }) =>
    operations.countConfirmations(fence, chainId, head),
  );
}

async function finalize(script: Script) {
  const fence = script.fence();
  const waiting = script.operations(({ status }) => status === 'CONFIRMING' || script.chance(2));
  const origins = script.some(waiting, 40).map(({ id, direction, originBlockHash }) => ({
    operationId: id,
    blockHash: script.chance(95) ? ((originBlockHash ?? script.hash()) as Hex) : script.hash(),
    confirmations: script.upTo(20),
    finalizedAt: script.time(script.upTo(40)),
    holdUntil: direction === 'PARTNER_TO_ETHEREUM' && script.chance(60) ? script.time(script.upTo(80)) : null,
  }));
  await script.pair.both(`operations.finalizeAll of ${origins.length}`, ({ operations }) =>
    operations.finalizeAll(fence, origins),
  );
}

async function releaseHolds(script: Script) {
  const [fence, at] = [script.fence(), script.time(script.upTo(80))];
  const held = script.operations((row) => row.status === 'AWAITING_RELAY' && row.holdReleasedAt === null);
  const ids = [
    ...held,
    ...script.some(
      script.operations(() => true),
      3,
    ),
  ].map(({ id }) => id);
  await script.pair.both(`operations.releaseHolds of ${ids.length}`, ({ operations }) =>
    operations.releaseHolds(fence, ids, at),
  );
}

async function delay(script: Script) {
  const fence = script.fence();
  const delays = script
    .some(
      script.operations(() => true),
      15,
    )
    .map(({ id }) => delayOf(script, id));
  await script.pair.both(`operations.delayAll of ${delays.length}`, ({ operations }) =>
    operations.delayAll(fence, delays),
  );
}

function delayOf(script: Script, operationId: Hex): OperationDelay {
  const reason = script.pick(['FLOAT_SHORT', 'DESTINATION_REVERTED'] as const) ?? 'PAUSED';
  return { operationId, reason, nextAttemptAt: script.chance(50) ? script.time(script.upTo(10)) : null };
}

async function retry(script: Script) {
  const id = script.pick(script.operations(({ status }) => status === 'DELAYED' || script.chance(5)))?.id;
  if (id !== undefined) await script.pair.both('operations.retry', ({ operations }) => operations.retry(id));
}

async function settle(script: Script) {
  const [chainId, fence] = [script.chain(), script.fence()];
  const finalBlock = script.head(chainId) - BigInt(script.upTo(3));
  const wrongHash = script.chance(10) ? script.hash() : null;
  const delayed = script.upTo(2);
  await script.pair.both(`operations.settleAll ${chainId}`, async ({ operations }) => {
    const found = await operations.findFinalDeliveries(chainId, finalBlock, null, 500);
    const seen = found.map((one, index) =>
      wrongHash !== null && index === 0 ? { ...one, blockHash: wrongHash } : one,
    );
    return [
      found,
      await operations.delayUsedUp(fence, seen.slice(0, delayed)),
      await operations.settleAll(fence, seen),
    ];
  });
}

async function acquireLease(script: Script) {
  await script.acquire(script.chance(50) ? 'first' : 'second', script.chance(50) ? 600_000 : -1_000);
}

async function useLease(script: Script) {
  const [fence, by] = [script.fence(), script.chance(50) ? 'first' : 'second'] as const;
  await script.pair.both('lease.assertHeld', async ({ lease }) => lease.assertHeld(fence), by);
  if (script.chance(40)) await script.pair.both(`lease.release ${by}`, ({ lease }) => lease.release(fence), by);
  await script.pair.both('lease.isHeld', ({ lease }) => lease.isHeld('relayer'));
  await script.acquire(by, 600_000);
}

async function halt(script: Script) {
  const chainId = script.chain();
  if (script.chance(75)) await script.pair.both(`halts.halt ${chainId}`, ({ halts }) => halts.halt(chainId, 'a test'));
  else await script.pair.both('halts.haltDeliveries', ({ halts }) => halts.haltDeliveries('a test'));
}

async function lift(script: Script) {
  const laterMs = script.chance(10) ? 1 : 0;
  const changed = <T extends { readonly since: Date }>(found: T): T => ({
    ...found,
    since: new Date(found.since.getTime() + laterMs),
  });
  if (script.memory.isSendingHalted())
    await script.pair.both('halts.liftDeliveries', async ({ halts, verdicts }) => {
      const found = await halts.deliveries();
      if (found !== null) await halts.liftDeliveries(changed(found), (await verdicts.unknown()).slice(0, 2));
    });
  const chainId = script.memory.cursors.find(({ haltedAt }) => haltedAt !== null)?.chainId;
  if (chainId === undefined) return;
  const ancestor = script.chance(50) ? script.ancestor(chainId, 6) : null;
  const broken = await script.pair.both(
    `halts.brokenAfter ${chainId} ${ancestor}`,
    async ({ halts }) => new Set(await halts.brokenAfter(chainId, ancestor ?? 0n)),
  );
  const isLifted = await script.pair.both(`halts.lift ${chainId}, broken: ${broken?.size}`, async ({ halts }) => {
    const found = (await halts.list()).find((one) => one.chainId === chainId);
    if (found === undefined) return false;
    if (ancestor === null) await halts.lift(changed(found));
    else await halts.liftAndRollBack(changed(found), ancestor);
    return true;
  });
  if (isLifted === true && ancestor !== null) script.orphan(chainId, ancestor);
}

/** A nonce: mostly the next one, sometimes one that is used, or one after a gap. */
function nonceOf(script: Script, chainId: number): bigint {
  const used = script.memory.calls.filter((call) => call.chainId === chainId).map(({ nonce }) => nonce);
  const next = used.reduce((most, nonce) => (nonce >= most ? nonce + 1n : most), 0n);
  if (script.chance(3)) return script.pick(used) ?? next;
  return script.chance(3) ? next + 1n : next;
}

async function recordDeliveries(script: Script) {
  const wallet = script.wallet();
  const fence = script.fence();
  const anything = script.chance(6);
  const due = script.operations(
    ({ status, destinationChainId, holdReleasedAt }) =>
      anything ||
      (destinationChainId === wallet.chainId &&
        (status === 'AWAITING_RELAY' || status === 'DELAYED') &&
        holdReleasedAt !== null),
  );
  const first = nonceOf(script, wallet.chainId);
  const calls = script.some(due, 60).map((operation, index): NewCall => {
    const batch = [operation, ...(script.chance(15) ? script.some(due, 30) : [])];
    const subject = { purpose: 'DELIVERY', operationIds: [...new Set(batch)].map(({ id }) => id) } as const;
    return aCall(script, first + BigInt(index), subject);
  });
  const some = script.chance(80) ? calls.slice(0, 1 + script.upTo(2)) : calls;
  await script.pair.both(`journal.record of ${some.length} deliveries`, ({ journal }) =>
    journal.record(fence, wallet, some),
  );
}

function aCall(script: Script, nonce: bigint, subject: CallSubject): NewCall {
  const known = script.chance(1) ? script.pick(script.memory.calls.all())?.transactions[0]?.hash : undefined;
  const signed = script.signature();
  const transaction = { ...signed, hash: known ?? signed.hash };
  return { nonce, to: anAddress('mint'), data: '0x01', value: script.amount(), subject, transaction };
}

/** Records what each store itself finds to be due. */
async function recordOne(script: Script, purpose: 'SWEEP' | 'RETIREMENT' | 'REFUND' | 'NONCE_GAP') {
  const wallet =
    purpose === 'NONCE_GAP' || purpose === 'REFUND' ? script.wallet() : { ...script.wallet(), chainId: PARTNER };
  const fence = script.fence();
  const nonce = nonceOf(script, wallet.chainId);
  const wrong = script.chance(8) ? 1n : 0n;
  const approved = script.memory.refunds.filter(
    ({ status, chainId }) => status === 'APPROVED' && chainId === wallet.chainId,
  );
  const refund = script.pick(script.chance(90) ? approved : script.memory.refunds.all());
  if (purpose === 'REFUND' && refund === undefined) return;
  const recipient = (script.chance(95) ? refund?.recipient : null) ?? script.recipient();
  const signed = aCall(script, nonce, { purpose: 'NONCE_GAP' });
  await script.pair.both(`journal.record of ${purpose}`, async ({ journal, sweeps, retirements }) => {
    const unswept = purpose === 'SWEEP' ? await sweeps.findUnswept(wallet) : null;
    const waiting = purpose === 'RETIREMENT' ? await retirements.findWaiting(PARTNER, 'USDC') : null;
    const subjects: CallSubject[] = [];
    if (purpose === 'NONCE_GAP') subjects.push({ purpose });
    if (unswept !== null) subjects.push({ purpose: 'SWEEP', unswept, amount: unswept.amount - 1n + 2n * wrong });
    if (waiting !== null)
      subjects.push({ purpose: 'RETIREMENT', waiting: { ...waiting, amount: waiting.amount + wrong } });
    if (purpose === 'REFUND' && refund !== undefined) {
      const payment = { recipient, paidAmount: refund.amount - 10n, gasFee: 7n, dust: 3n + wrong };
      subjects.push({ purpose, refundId: refund.id, ...payment });
    }
    return journal.record(
      fence,
      wallet,
      subjects.map((subject) => ({ ...signed, subject })),
    );
  });
}

/** A call, mostly one that is pending. */
function aRow(script: Script): CallRow | undefined {
  const pending = script.memory.calls.filter(({ state }) => state === 'PENDING');
  return script.pick(script.chance(90) ? pending : script.memory.calls.all());
}

async function replace(script: Script) {
  const row = aRow(script);
  if (row === undefined) return;
  const [fence, signed] = [script.fence(), script.signature()];
  const isCancellation = script.chance(10) !== (row.cancelledAt !== null);
  const isStale = script.chance(8);
  await script.withCall('journal.replace', row, ({ journal }, call) => {
    const transactions = call.transactions.slice(0, isStale ? -1 : undefined);
    return journal.replace(fence, { ...call, transactions }, signed, isCancellation);
  });
}

async function markBroadcast(script: Script) {
  const row = aRow(script);
  const hash = script.pick(row?.transactions ?? [])?.hash;
  if (row === undefined || hash === undefined) return;
  const fence = script.fence();
  await script.withCall('journal.markBroadcast', row, ({ journal }, call) => journal.markBroadcast(fence, call, hash));
}

async function delayPending(script: Script) {
  const row = aRow(script);
  if (row === undefined) return;
  const fence = script.fence();
  await script.withCall('journal.delayPending', row, ({ journal }, call) =>
    journal.delayPending(fence, call, 'NODE_UNAVAILABLE'),
  );
}

async function cancel(script: Script) {
  const row = aRow(script);
  if (row === undefined) return;
  const fence = script.chance(30) ? null : script.fence();
  await script.withCall('journal.cancel', row, ({ journal }, call) => journal.cancel(fence, call));
}

async function conclude(script: Script) {
  const row = aRow(script);
  if (row === undefined) return;
  const fence = script.fence();
  const newest = script.block(row.chainId);
  const isMined = script.chance(70);
  const state = isMined ? 'SUCCEEDED' : (script.pick(['REVERTED', 'CANCELLED', 'TAKEN'] as const) ?? 'TAKEN');
  const hash = (script.chance(95) ? newest?.hash : undefined) ?? script.hash();
  const txHash = script.pick(row.transactions)?.hash ?? script.hash();
  const block = { number: newest?.number ?? 0n, hash };
  const outcome: CallOutcome =
    state === 'TAKEN' ? { state } : { state, txHash, block, feePaid: BigInt(script.upTo(1_000)) };
  const freed = script.some(row.operations, isMined ? 15 : 95);
  const unpaid = freed.map(({ operationId }) => delayOf(script, operationId));
  await script.withCall(`journal.conclude ${row.purpose} ${state}`, row, ({ journal }, call) =>
    journal.conclude(fence, call, outcome, unpaid),
  );
}

async function reopenLost(script: Script) {
  const wallet = script.wallet();
  const fence = script.fence();
  const chainNonce = nonceOf(script, wallet.chainId) - BigInt(script.upTo(4));
  const head = script.head(wallet.chainId) - BigInt(script.upTo(3));
  await script.pair.both(`journal.reopenLost from ${chainNonce}`, ({ journal }) =>
    journal.reopenLost(fence, wallet, chainNonce, head),
  );
}

/** Every history begins so. */
export async function beginScript(script: Script): Promise<void> {
  await script.acquire('first', 600_000);
  const fence = script.fence();
  for (const chainId of CHAINS)
    await script.pair.both(`scan.begin ${chainId}`, ({ scan }) => scan.begin(fence, chainId, 1n));
}
