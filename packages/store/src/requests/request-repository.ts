import { canonicalJson } from '@causeway/protocol';
import {
  toAuditAction,
  getSubject,
  computeVersion,
  type RequestSnapshot,
  type RequestApproval,
  type RequestState,
  type RequestTerms,
} from '@causeway/protocol/admin';
import type { Hex } from 'viem';
import { appendAudit, type AuditEntry } from '../audit/audit-log.js';
import type { AdminRequest as AdminRequestModel, Prisma, PrismaClient } from '../generated/prisma/client.js';
import { toPage, type Page, type PageRequest, type TimeKey } from '../listing/keyset.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { wake } from '../locks/wake-ups.js';
import type { ChainPair } from '../refunds/fail-operation.js';
import { toRefund } from '../refunds/refund.js';
import { findUnexplainedReleases, findUnnamedRelease, selectMaybePaidBy } from '../refunds/unexplained-releases.js';
import { readRequestSnapshot } from './request-snapshot.js';
import { applyEffect, type RequestEffect } from './effect.js';
import {
  RELAYER_ITSELF,
  toRequest,
  WITH_APPROVALS,
  type Actor,
  type AdminRequest,
  type NewRequest,
  type ReadableRequest,
} from './request.js';
import type { ColumnsOf } from '../sql/columns.js';
import { execute, query, sql } from '../sql/query.js';
import { valuesInSql } from '../sql/rows-in-sql.js';

/** Most requests of one query. */
const MOST = 100;
const OPEN: readonly RequestState[] = ['AWAITING_APPROVAL', 'QUEUED'];

/** The result of a new request. `known`: its id was used before. `open`: another open request has the same terms. */
export interface CreatedRequest {
  readonly kind: 'created' | 'known' | 'open';
  readonly request: AdminRequest;
}

/** The result of an approval. `own`: this person approved it before. `ended`: it does not wait for approvals. */
export interface ApprovedRequest {
  readonly kind: 'approved' | 'own' | 'ended' | 'expired';
  readonly request: AdminRequest;
}

/**
 * The operators' requests to the relayer. Any writer of the database can insert one; the relayer verifies each request
 * before it carries it out. Each step appends a row to the audit log in its transaction.
 */
export class RequestRepository {
  constructor(private readonly prisma: PrismaClient) {}

  /** The current state that a request with these terms is decided on. */
  async readSnapshot(terms: RequestTerms, chains: ChainPair): Promise<RequestSnapshot> {
    return readRequestSnapshot(this.prisma, terms, chains);
  }

  /**
   * Why a request must not be carried out although its state allows it: a release may already have paid the refund, as
   * after the restore of an old backup. Null when there is no objection.
   */
  async findObjection({ terms, reason }: Pick<AdminRequest, 'terms' | 'reason'>): Promise<string | null> {
    if (terms?.kind !== 'REFUND_APPROVE') return null;
    const refund = await this.prisma.refund.findUnique({ where: { id: terms.refundId } });
    if (refund === null) return null;
    const releases = await findUnexplainedReleases(this.prisma);
    return findUnnamedRelease(selectMaybePaidBy(toRefund(refund), releases), reason);
  }

  /** @param approval of the requester; null when no signature is needed. */
  async create(
    request: NewRequest,
    approval: RequestApproval | null,
    { actor, now }: { readonly actor: Actor; readonly now: Date },
  ): Promise<CreatedRequest> {
    return this.prisma.$transaction(async (tx) => {
      const known = await findRequest(tx, { id: request.id });
      if (known !== null) return { kind: 'known', request: known };
      await expireTwins(tx, request.terms, now);
      if (!(await insert(tx, request, now))) {
        // Another transaction inserted this id or these terms first.
        const same = await findRequest(tx, { id: request.id });
        if (same !== null) return { kind: 'known', request: same };
        return { kind: 'open', request: await mustFind(tx, matchOpenTwin(request.terms)) };
      }
      if (approval !== null) await addApproval(tx, request.id, approval, now);
      await queueIfApproved(tx, request.id, request.approvalsNeeded);
      const created = await mustFind(tx, { id: request.id });
      await appendAudit(tx, makeAuditEntry(actor, 'request', request, created));
      return { kind: 'created', request: created };
    });
  }

  /** @returns null when there is no such request. */
  async approve(
    id: Hex,
    approval: RequestApproval,
    { actor, now }: { readonly actor: Actor; readonly now: Date },
  ): Promise<ApprovedRequest | null> {
    return this.prisma.$transaction(async (tx) => {
      const request = await lockRequest(tx, id);
      if (request === null) return null;
      if (request.approvals.some(({ operator }) => operator === approval.operator)) return { kind: 'own', request };
      if (request.state !== 'AWAITING_APPROVAL')
        return { kind: request.state === 'EXPIRED' ? 'expired' : 'ended', request };
      if (now.getTime() > 1_000 * request.validUntil) return { kind: 'expired', request };
      await addApproval(tx, id, approval, now);
      await queueIfApproved(tx, id, request.approvalsNeeded);
      const approved = await mustFind(tx, { id });
      await appendAudit(tx, makeAuditEntry(actor, 'approve', request, approved));
      return { kind: 'approved', request: approved };
    });
  }

  async find(id: Hex): Promise<AdminRequest | null> {
    return findRequest(this.prisma, { id });
  }

  /** The open request with exactly these terms; null when there is none or it has expired. */
  async findOpen(terms: RequestTerms, now: Date): Promise<AdminRequest | null> {
    return findRequest(this.prisma, { ...matchOpenTwin(terms), validUntil: { gte: now } });
  }

  /** The requests about a refund that wait for approvals, oldest first. */
  async findAwaiting(refundId: Hex, now: Date): Promise<AdminRequest[]> {
    const rows = await this.prisma.adminRequest.findMany({
      where: { state: 'AWAITING_APPROVAL', validUntil: { gte: now }, terms: { path: ['refundId'], equals: refundId } },
      include: WITH_APPROVALS,
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      take: MOST,
    });
    return rows.map(toRequest);
  }

  /** The queued requests, oldest first. */
  async findQueued(): Promise<AdminRequest[]> {
    return this.findFirst({ state: 'QUEUED' });
  }

  /** The open requests that have expired, oldest first. */
  async findOverdue(now: Date): Promise<AdminRequest[]> {
    return this.findFirst({ state: { in: [...OPEN] }, validUntil: { lt: now } });
  }

  private async findFirst(where: Prisma.AdminRequestWhereInput): Promise<AdminRequest[]> {
    const rows = await this.prisma.adminRequest.findMany({
      where,
      include: WITH_APPROVALS,
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      take: MOST,
    });
    return rows.map(toRequest);
  }

  /**
   * One page, newest first.
   *
   * @param state null for all.
   */
  async page(state: RequestState | null, request: PageRequest<TimeKey>): Promise<Page<AdminRequest, TimeKey>> {
    const { limit, start } = request;
    const order = start?.way === 'newer' ? 'asc' : 'desc';
    const beyond = <T>(value: T) => (start?.way === 'newer' ? { gt: value } : { lt: value });
    const rows = await this.prisma.adminRequest.findMany({
      where: {
        ...(state === null ? {} : { state }),
        ...(start === null
          ? {}
          : { OR: [{ createdAt: beyond(start.key.at) }, { createdAt: start.key.at, id: beyond(start.key.id) }] }),
      },
      include: WITH_APPROVALS,
      orderBy: [{ createdAt: order }, { id: order }],
      take: limit + 1,
    });
    return toPage(rows.map(toRequest), request, ({ createdAt, id }) => ({ at: createdAt, id }));
  }

  /**
   * Carries a request out once: its effect, its end and its row of the audit log are one transaction, which also
   * rechecks the state that it was decided on.
   *
   * @returns `gone` when the request is not QUEUED, `stale` when the state has changed, `unfit` when the effect does
   *   not apply. In these cases nothing is written.
   * @throws HaltChangedError when the halt changes concurrently: the next run finds the request stale.
   */
  async carryOut(
    fence: Fence,
    { id, terms, version }: Pick<ReadableRequest, 'id' | 'terms' | 'version'>,
    effect: RequestEffect,
    end: { readonly outcome: string; readonly now: Date; readonly chains: ChainPair },
  ): Promise<'done' | 'gone' | 'stale' | 'unfit'> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      const before = await lockRequest(tx, id);
      if (before?.state !== 'QUEUED') return 'gone';
      if (computeVersion(await readRequestSnapshot(tx, terms, end.chains)) !== version) return 'stale';
      if (!(await applyEffect(tx, effect))) return 'unfit';
      await tx.adminRequest.update({ where: { id }, data: { state: 'DONE', outcome: end.outcome, endedAt: end.now } });
      await appendAudit(tx, makeAuditEntry(RELAYER_ITSELF, toAuditAction(terms), before, await mustFind(tx, { id })));
      return 'done';
    });
  }

  /** Ends an open request without an effect. False when it has already ended. */
  async end(
    fence: Fence,
    id: Hex,
    { state, outcome, now }: { readonly state: 'REFUSED' | 'EXPIRED'; readonly outcome: string; readonly now: Date },
  ): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      const before = await lockRequest(tx, id);
      if (before === null || !OPEN.includes(before.state)) return false;
      await endRequest(tx, before, { state, outcome, now });
      return true;
    });
  }

  /**
   * Writes the effect of an operator's command, with its row of the audit log.
   *
   * @returns false when the state has changed and the effect does not apply; nothing is written then.
   * @throws HaltChangedError
   */
  async perform(effect: RequestEffect, entry: Omit<AuditEntry, 'actor' | 'role' | 'sessionId'>): Promise<boolean> {
    return this.prisma.$transaction(async (tx) => {
      if (!(await applyEffect(tx, effect))) return false;
      await appendAudit(tx, { actor: null, role: null, sessionId: null, ...entry });
      return true;
    });
  }
}

async function findRequest(
  db: Prisma.TransactionClient | PrismaClient,
  where: Prisma.AdminRequestWhereInput,
): Promise<AdminRequest | null> {
  const row = await db.adminRequest.findFirst({ where, include: WITH_APPROVALS });
  return row === null ? null : toRequest(row);
}

async function mustFind(tx: Prisma.TransactionClient, where: Prisma.AdminRequestWhereInput): Promise<AdminRequest> {
  const found = await findRequest(tx, where);
  if (found === null) throw new Error('The request ended in the meantime: retry');
  return found;
}

async function lockRequest(tx: Prisma.TransactionClient, id: Hex): Promise<AdminRequest | null> {
  await query(tx)`SELECT 1 FROM admin_request WHERE id = ${id} FOR UPDATE`;
  return findRequest(tx, { id });
}

function matchOpenTwin(terms: RequestTerms) {
  return { terms: { equals: terms }, state: { in: [...OPEN] } } satisfies Prisma.AdminRequestWhereInput;
}

/** Ends an expired open request with the same terms, in case the relayer is not running. */
async function expireTwins(tx: Prisma.TransactionClient, terms: RequestTerms, now: Date): Promise<void> {
  const twin = await findRequest(tx, { ...matchOpenTwin(terms), validUntil: { lt: now } });
  const before = twin === null ? null : await lockRequest(tx, twin.id);
  if (before !== null && OPEN.includes(before.state))
    await endRequest(tx, before, { state: 'EXPIRED', outcome: 'It expired. Nothing changed', now });
}

async function endRequest(
  tx: Prisma.TransactionClient,
  before: AdminRequest,
  { state, outcome, now }: { readonly state: 'REFUSED' | 'EXPIRED'; readonly outcome: string; readonly now: Date },
): Promise<void> {
  const { id } = before;
  await tx.adminRequest.update({ where: { id }, data: { state, outcome, endedAt: now } });
  await appendAudit(
    tx,
    makeAuditEntry(RELAYER_ITSELF, `request-${state.toLowerCase()}`, before, await mustFind(tx, { id })),
  );
}

async function insert(tx: Prisma.TransactionClient, request: NewRequest, now: Date): Promise<boolean> {
  const { id, terms, reason, version, decidedOn, requestedBy, approvalsNeeded } = request;
  const validUntil = new Date(1_000 * request.validUntil);
  const row = {
    id,
    terms: sql`${canonicalJson(terms)}::jsonb`,
    reason,
    version,
    decided_on: sql`${canonicalJson(decidedOn)}::jsonb`,
    requested_by: requestedBy,
    approvals_needed: approvalsNeeded,
    valid_until: validUntil,
    state: sql`'AWAITING_APPROVAL'`,
    created_at: now,
  } satisfies ColumnsOf<AdminRequestModel, 'outcome' | 'endedAt'>;
  return (await execute(tx)`INSERT INTO admin_request ${valuesInSql(row)} ON CONFLICT DO NOTHING`) === 1;
}

async function addApproval(
  tx: Prisma.TransactionClient,
  requestId: Hex,
  { operator, signature }: RequestApproval,
  now: Date,
): Promise<void> {
  await tx.adminApproval.create({ data: { requestId, operator, signature, createdAt: now } });
}

async function queueIfApproved(tx: Prisma.TransactionClient, id: Hex, needed: number): Promise<void> {
  if ((await tx.adminApproval.count({ where: { requestId: id } })) < needed) return;
  await tx.adminRequest.update({ where: { id }, data: { state: 'QUEUED' } });
  await wake(tx, 'operator');
}

/** The audit log entry of a step of a request. */
function makeAuditEntry(
  actor: Actor,
  action: string,
  { terms, reason, decidedOn }: Pick<NewRequest | AdminRequest, 'terms' | 'reason' | 'decidedOn'>,
  after: AdminRequest,
): AuditEntry {
  const { id: requestId, state, outcome, requestedBy, approvals } = after;
  return {
    actor: actor.address,
    role: actor.role,
    sessionId: actor.sessionId,
    action,
    reason,
    subject: (terms === null ? null : getSubject(terms)) ?? requestId,
    before: decidedOn,
    after: {
      requestId,
      terms,
      state,
      outcome,
      requestedBy,
      approvedBy: approvals.map(({ operator }) => operator),
    },
  };
}
