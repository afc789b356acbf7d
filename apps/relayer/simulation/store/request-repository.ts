import { canonicalJson } from '@causeway/protocol';
import { canIntentFail, versionOf, type DecidedOn, type RequestTerms } from '@causeway/protocol/admin';
import type { AdminRequest, ChainPair, RequestEffect } from '@causeway/store';
import type { Hex } from 'viem';
import { haltRepository } from './halt-repository.ts';
import { journalRepository } from './journal-repository.ts';
import { sortedBy, type MemoryDatabase } from './memory-database.ts';
import { operationRepository } from './operation-repository.ts';
import { approveRefund, refuseRefund } from './refund-repository.ts';
import type { Simulated } from './steps.ts';
import { auditRepository } from './watch-repositories.ts';

type Request = AdminRequest & { readonly terms: RequestTerms };

/** The requests of operators. Members and the audit log are not simulated: nothing of the pipeline reads them. */
export function requestRepository(database: MemoryDatabase): Simulated<'requests'> {
  const { requests } = database;
  const isOpen = ({ state }: AdminRequest) => state === 'AWAITING_APPROVAL' || state === 'QUEUED';
  const oldestFirst = (found: readonly Request[]) => sortedBy(found, ({ createdAt, id }) => [createdAt, id]);
  const twinOf = (terms: RequestTerms) =>
    requests.find((row) => isOpen(row) && canonicalJson(row.terms) === canonicalJson(terms));
  const queueIfApproved = (id: Hex): Request => {
    const row = requests.get(id);
    if (row === undefined) throw new Error(`There is no request ${id}`);
    if (row.approvals.length < row.approvalsNeeded) return row;
    requests.update(id, { state: 'QUEUED' });
    database.wake('operator');
    return { ...row, state: 'QUEUED' };
  };
  return {
    decidedOn: (terms, chains) => readDecidedOn(database, terms, chains),
    create: (request, approval, { now }) => {
      const known = requests.get(request.id);
      if (known !== undefined) return { kind: 'known', request: known };
      const twin = twinOf(request.terms);
      if (twin !== undefined && twin.validUntil * 1_000 >= now.getTime()) return { kind: 'open', request: twin };
      if (twin !== undefined)
        requests.update(twin.id, { state: 'EXPIRED', outcome: 'Its time was over. Nothing changed', endedAt: now });
      requests.insert(request.id, {
        ...request,
        state: 'AWAITING_APPROVAL',
        outcome: null,
        createdAt: now,
        endedAt: null,
        approvals: approval === null ? [] : [{ ...approval, createdAt: now }],
      });
      return { kind: 'created', request: queueIfApproved(request.id) };
    },
    approve: (id, approval, { now }) => {
      const request = requests.get(id);
      if (request === undefined) return null;
      if (request.approvals.some(({ operator }) => operator === approval.operator)) return { kind: 'own', request };
      if (request.state !== 'AWAITING_APPROVAL')
        return { kind: request.state === 'EXPIRED' ? 'expired' : 'ended', request };
      if (now.getTime() > 1_000 * request.validUntil) return { kind: 'expired', request };
      const approvals = [...request.approvals, { ...approval, createdAt: now }];
      requests.update(id, { approvals: sortedBy(approvals, ({ createdAt, operator }) => [createdAt, operator]) });
      return { kind: 'approved', request: queueIfApproved(id) };
    },
    find: (id) => requests.get(id) ?? null,
    findQueued: () => oldestFirst(requests.filter(({ state }) => state === 'QUEUED')),
    findOverdue: (now) => oldestFirst(requests.filter((row) => isOpen(row) && 1_000 * row.validUntil < now.getTime())),
    carryOut: (fence, { id, terms, version }, effect, { outcome, now, chains }) => {
      database.assertFence(fence);
      if (requests.get(id)?.state !== 'QUEUED') return 'gone';
      if (versionOf(readDecidedOn(database, terms, chains)) !== version) return 'stale';
      if (!applyEffect(database, effect)) return 'unfit';
      requests.update(id, { state: 'DONE', outcome, endedAt: now });
      return 'done';
    },
    end: (fence, id, { state, outcome, now }) => {
      database.assertFence(fence);
      const request = requests.get(id);
      if (request === undefined || !isOpen(request)) return false;
      requests.update(id, { state, outcome, endedAt: now });
      return true;
    },
    perform: (effect) => applyEffect(database, effect),
  };
}

function readDecidedOn(database: MemoryDatabase, terms: RequestTerms, chains: ChainPair): DecidedOn {
  switch (terms.kind) {
    case 'RETRY':
      return readOperation(database, terms.operationId);
    case 'CANCEL':
      return readDelivery(database, terms.operationId);
    case 'HALT':
    case 'RESUME':
      return readHalt(database, terms, chains);
    case 'REFUND_APPROVE':
    case 'REFUND_REFUSE': {
      const refund = database.refunds.get(terms.refundId);
      if (refund === undefined) return { about: 'nothing' };
      const { status, operationId, chainId, asset, amount, payer, recipient } = refund;
      return { about: 'refund', status, operationId, chainId, asset, payer, recipient, amount: amount.toString() };
    }
    case 'INTENT_REJECT': {
      const operation = database.operations.get(terms.intentId);
      if (operation?.kind !== 'INTENT') return { about: 'nothing' };
      const { sender, recipient, amount, status } = operation;
      const isRejected = database.intents.get(terms.intentId)?.rejectedBy !== null;
      const state = { isOpen: canIntentFail(status), isRejected, amount: amount.toString() };
      return { about: 'intent', sender, recipient, ...state };
    }
    case 'MEMBER_SET':
    case 'MEMBER_REMOVE':
      return { about: 'member', role: null };
  }
}

function readOperation({ operations }: MemoryDatabase, id: Hex): DecidedOn {
  const operation = operations.get(id);
  if (operation === undefined) return { about: 'nothing' };
  const { status, delayedReason, nextAttemptAt } = operation;
  return { about: 'operation', status, delayedReason, isPaused: status === 'DELAYED' && nextAttemptAt !== null };
}

function readDelivery(database: MemoryDatabase, id: Hex): DecidedOn {
  const operation = database.operations.get(id);
  const call = database.calls.find(
    ({ state, operations }) =>
      state === 'PENDING' && operations.some(({ operationId, freedAt }) => operationId === id && freedAt === null),
  );
  if (operation === undefined || call === undefined) return readOperation(database, id);
  return {
    about: 'delivery',
    status: operation.status,
    isHalted: database.isHalted(operation.originChainId, operation.destinationChainId),
    chainId: call.chainId,
    sender: call.address,
    nonce: call.nonce.toString(),
    operationIds: call.operations.map(({ operationId }) => operationId),
    isCancelled: call.cancelledAt !== null,
  };
}

function readHalt(
  { cursors, events }: MemoryDatabase,
  { kind, target }: Extract<RequestTerms, { readonly kind: 'HALT' | 'RESUME' }>,
  chains: ChainPair,
): DecidedOn {
  if (target !== 'deliveries') {
    const cursor = cursors.get(chains[target]);
    if (cursor === undefined) return { about: 'nothing' };
    return { about: 'halt', halt: haltOf(cursor.haltedAt, cursor.haltedReason), unknown: [] };
  }
  const [cursor] = sortedBy([...cursors.all()], ({ deliveriesHaltedAt, chainId }) => [
    deliveriesHaltedAt === null ? 1 : 0,
    chainId,
  ]);
  if (cursor === undefined) return { about: 'nothing' };
  const unknown = kind === 'HALT' ? [] : events.filter(({ verdict }) => verdict === 'UNKNOWN');
  return {
    about: 'halt',
    halt: haltOf(cursor.deliveriesHaltedAt, cursor.deliveriesHaltedReason),
    unknown: sortedBy(unknown, ({ chainId, blockNumber, logIndex }) => [chainId, blockNumber, logIndex]).map(
      ({ name, operationId, chainId, txHash, logIndex, args }) => ({
        name,
        operationId,
        chainId,
        txHash,
        logIndex,
        args,
      }),
    ),
  };
}

function haltOf(since: Date | null, reason: string | null) {
  return since === null ? null : { since: since.toISOString(), reason: reason ?? '' };
}

function applyEffect(database: MemoryDatabase, effect: RequestEffect): boolean {
  database.wake('operator');
  const halts = haltRepository(database);
  switch (effect.kind) {
    case 'retry':
      return operationRepository(database).retry?.(effect.operationId) ?? false;
    case 'cancel':
      return journalRepository(database).cancel?.(null, effect.call) ?? false;
    case 'halt-chain':
      return halts.halt?.(effect.chainId, effect.reason) ?? false;
    case 'halt-deliveries':
      return halts.haltDeliveries?.(effect.reason) ?? false;
    case 'resume-chain':
      if (effect.ancestor === null) halts.lift?.(effect.halt);
      else halts.liftAndRollBack?.(effect.halt, effect.ancestor);
      return true;
    case 'resume-deliveries':
      halts.liftDeliveries?.(effect.halt, effect.looked);
      return true;
    case 'approve-refund':
      return approveRefund(database, effect);
    case 'refuse-refund':
      return refuseRefund(database, effect.refundId);
    case 'reject-intent':
      if (database.intents.get(effect.intentId)?.rejectedBy !== null) return false;
      database.intents.update(effect.intentId, { rejectedBy: effect.requestId });
      return true;
    case 'explain':
      return auditRepository(database).explain?.(effect.chainId, effect.blockNumber, effect.explanation) ?? false;
    case 'set-member':
    case 'remove-member':
    case 'name-transaction':
      throw new Error(`not simulated: ${effect.kind}`);
  }
}
