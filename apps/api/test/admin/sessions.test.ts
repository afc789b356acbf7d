import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import {
  requestDeployment,
  requestDigest,
  computeVersion,
  type AdminRole,
  type MembersResponse,
  type RequestApproval,
  type RequestTerms,
  type SessionsResponse,
  type SignedRequest,
} from '@causeway/protocol/admin';
import type { Fence } from '@causeway/store';
import { anAddressBook, aHash, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { Controller, Get, Module } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { NestFactory } from '@nestjs/core';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { AccessCheck } from '../../src/admin/access/access.js';
import { SessionsService } from '../../src/admin/access/sessions.service.js';
import { refusal } from '../temporary-api.js';
import { temporaryAdmin, type TemporaryAdmin } from './temporary-admin.js';

// Sessions after the sign-in, and the allow-list.

const newKey = () => privateKeyToAccount(generatePrivateKey());

/** A second admin: two of them approve a new member. */
const secondAdmin = newKey();
/** A member added by a request. */
const newMember = newKey();
let t: TemporaryAdmin;
beforeAll(async () => {
  const ADMIN_NAMES = `${secondAdmin.address}:Ada, ${newMember.address}:Grace O'Hara`;
  t = await temporaryAdmin(undefined, { ADMIN_NAMES }, [`${secondAdmin.address}:admin`]);
});
afterAll(async () => t?.close());

const UNAUTHENTICATED = refusal(401, 'UNAUTHENTICATED');

/** Begins a session of any member, and returns a function that calls the API with it. */
async function beginSession(address: Address, role: AdminRole) {
  const { token } = await t.admin.get(SessionsService).begin({
    address,
    role,
    clientIp: '192.0.2.1',
    userAgent: undefined,
    replacedToken: null,
  });
  return async () => t.send({ url: '/session', headers: { cookie: `__Host-causeway-admin=${token}` } });
}

describe('a member', () => {
  it('lists its own sessions, newest first, and ends one of them', async () => {
    const first = await t.signedIn('viewer');
    const second = await t.signedIn('viewer');
    await t.signedIn('operator');
    const { sessions } = (await second.get('/sessions')).body as SessionsResponse;
    expect(sessions.map(({ id, isCurrent }) => [id, isCurrent])).toEqual([
      [second.sessionId, true],
      [first.sessionId, false],
    ]);
    expect(sessions[0]).toMatchObject({ clientIp: '192.0.2.1', userAgent: 'test' });
    expect((await second.delete(`/sessions/${first.sessionId}`)).status).toBe(204);
    expect(await first.get('/session')).toEqual(UNAUTHENTICATED);
    expect(await second.delete(`/sessions/${first.sessionId}`)).toEqual(refusal(404, 'NOT_FOUND'));
    expect((await second.get('/session')).status).toBe(200);
  });

  it('cannot end a session of another member', async () => {
    const other = await t.signedIn('operator');
    const admin = await t.signedIn('admin');
    expect(await admin.delete(`/sessions/${other.sessionId}`)).toEqual(refusal(404, 'NOT_FOUND'));
    expect((await other.get('/session')).status).toBe(200);
  });

  it('names a session by its id only', async () => {
    const admin = await t.signedIn('admin');
    expect(await admin.delete('/sessions/1')).toEqual(
      refusal(400, 'VALIDATION_ERROR', 'id must be the id of a session'),
    );
  });

  it('signs out, which invalidates stolen copies of the cookie', async () => {
    const session = await t.signedIn('viewer');
    const answer = await session.delete('/session');
    expect(answer.status).toBe(204);
    expect(answer.headers['set-cookie']).toMatch(/^__Host-causeway-admin=; .*Max-Age=0$/);
    expect(await session.get('/session')).toEqual(UNAUTHENTICATED);
    expect(await session.get('/sessions')).toEqual(UNAUTHENTICATED);
  });

  it('ends all its sessions, and no others', async () => {
    const [first, second, other] = [await t.signedIn('viewer'), await t.signedIn('viewer'), await t.signedIn('admin')];
    expect((await first.delete('/sessions')).status).toBe(204);
    expect([await first.get('/session'), await second.get('/session')]).toEqual([UNAUTHENTICATED, UNAUTHENTICATED]);
    expect((await other.get('/session')).status).toBe(200);
  });

  it('finds each of these in the audit log', async () => {
    const session = await t.signedIn('viewer');
    const other = await t.signedIn('viewer');
    await session.delete(`/sessions/${other.sessionId}`);
    await session.delete('/session');
    const filter = { actor: lower(t.members.viewer.address), action: null, subject: null };
    const { rows } = await t.store.adminAudit.page(filter, { start: null, limit: 2 });
    expect(rows).toMatchObject([
      { action: 'sign-out', subject: session.sessionId, sessionId: session.sessionId, role: 'viewer' },
      { action: 'session-ended', subject: other.sessionId, sessionId: session.sessionId },
    ]);
    expect((await t.store.adminAudit.verify()).broken).toBeNull();
  });
});

describe('a session', () => {
  it.each([
    ['has not been used for 30 minutes', `last_used_at = now() - interval '30 minutes 1 second'`],
    ['is 12 hours old', `expires_at = now()`],
  ])('ends when it %s', async (_, change) => {
    const session = await t.signedIn('viewer');
    await t.sql.query(`UPDATE admin_session SET ${change} WHERE id = $1`, [session.sessionId]);
    expect(await session.get('/session')).toEqual(UNAUTHENTICATED);
    const { sessions } = (await (await t.signedIn('viewer')).get('/sessions')).body as SessionsResponse;
    expect(sessions.map(({ id }) => id)).not.toContain(session.sessionId);
  });

  it('is extended by every use, but not beyond 12 hours', async () => {
    const session = await t.signedIn('viewer');
    await t.sql.query(`UPDATE admin_session SET last_used_at = now() - interval '29 minutes' WHERE id = $1`, [
      session.sessionId,
    ]);
    expect((await session.get('/session')).status).toBe(200);
    const { rows } = await t.sql.query<{ idle: number; rest: number }>(
      `SELECT extract(epoch FROM now() - last_used_at)::int AS idle, extract(epoch FROM expires_at - created_at)::int AS rest
       FROM admin_session WHERE id = $1`,
      [session.sessionId],
    );
    expect(rows[0]?.idle).toBeLessThan(60);
    expect(rows[0]?.rest).toBe(12 * 3_600);
  });

  it('does not have its token in the database', async () => {
    const { cookie } = await t.signedIn('viewer');
    const token = cookie.split('=')[1] ?? '';
    const { rows } = await t.sql.query('SELECT row_to_json(s)::text AS row FROM admin_session s');
    expect(JSON.stringify(rows)).not.toContain(token);
  });
});

describe('the allow-list', () => {
  /** Writes a row like the relayer after two admins have approved it. */
  async function addMember(
    address: Address,
    role: AdminRole,
    approvers: readonly PrivateKeyAccount[],
    terms = { address, role },
  ) {
    const request: SignedRequest = {
      id: aHash(),
      terms: { kind: 'MEMBER_SET', ...terms },
      decidedOn: { about: 'member', role: null },
      reason: 'a new colleague',
      validUntil: 1_800_000_000,
    };
    await insertMember(address, role, approvers, request, requestDigest(requestDeployment(anAddressBook()), request));
  }
  async function insertMember(
    address: Address,
    role: AdminRole,
    approvers: readonly PrivateKeyAccount[],
    request: { readonly id: Hex },
    digest: Hex,
  ) {
    const approvals: RequestApproval[] = [];
    for (const approver of approvers)
      approvals.push({ operator: lower(approver.address), signature: await approver.sign({ hash: digest }) });
    await t.sql.query(
      `INSERT INTO admin_member (address, role, request_id, request, approvals) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (address) DO UPDATE SET role = excluded.role, request = excluded.request, approvals = excluded.approvals`,
      [address, role, request.id, JSON.stringify(request), JSON.stringify(approvals)],
    );
  }
  /** Carries out a request of the first admin like the relayer. */
  async function carryOut(fence: Fence, terms: RequestTerms, effect: Parameters<typeof t.store.requests.carryOut>[2]) {
    const [chains, now] = [{ ethereum: ETHEREUM, partner: PARTNER }, new Date()];
    const snapshot = await t.store.requests.readSnapshot(terms, chains);
    const version = computeVersion(snapshot);
    const request = { id: aHash(), terms, decidedOn: snapshot, version, reason: 'a test', validUntil: 2_000_000_000 };
    const asked = { ...request, requestedBy: lower(t.members.admin.address), approvalsNeeded: 0 };
    const actor = { address: asked.requestedBy, role: 'admin', sessionId: null } as const;
    await t.store.requests.create(asked, null, { actor, now });
    expect(await t.store.requests.carryOut(fence, request, effect, { outcome: 'done', now, chains })).toBe('done');
  }
  const listed = async () => ((await (await t.signedIn('viewer')).get('/members')).body as MembersResponse).members;

  it('has the configured members and those approved by two admins', async () => {
    const added = lower(newMember.address);
    await addMember(added, 'operator', [t.members.admin, secondAdmin]);
    const session = await beginSession(added, 'operator');
    expect(await session()).toMatchObject({ status: 200, body: { address: added, role: 'operator' } });
    expect(await listed()).toEqual([
      ...(['viewer', 'operator', 'admin'] as const).map((role) =>
        expect.objectContaining({ address: lower(t.members[role].address), name: null, role, source: 'configuration' }),
      ),
      expect.objectContaining({ address: lower(secondAdmin.address), name: 'Ada', role: 'admin' }),
      expect.objectContaining({
        address: added,
        name: "Grace O'Hara",
        role: 'operator',
        source: 'request',
        addedBy: lower(t.members.admin.address),
        addedAt: expect.any(String),
      }),
    ]);

    await t.sql.query('DELETE FROM admin_member WHERE address = $1', [added]);
    expect(await session()).toEqual(UNAUTHENTICATED);
  });

  it('ends the sessions of a removed member, not of one whose role changes', async () => {
    const address = lower(newKey().address);
    const fence = (await t.store.lease.acquire('relayer', 'test', 600_000))!;
    await addMember(address, 'operator', [t.members.admin, secondAdmin]);
    const session = await beginSession(address, 'operator');
    const row = (await t.store.adminMembers.find(address))!;
    const member = { ...row, request: row.request as SignedRequest, approvals: row.approvals as RequestApproval[] };
    await carryOut(fence, member.request.terms, { kind: 'set-member', member });
    expect((await session()).status).toBe(200);

    await carryOut(fence, { kind: 'MEMBER_REMOVE', address }, { kind: 'remove-member', address });
    const left = await t.sql.query('SELECT id FROM admin_session WHERE address = $1', [address]);
    expect(left.rows).toEqual([]);
    const { rows } = await t.store.adminAudit.page(
      { actor: null, action: 'session-ended', subject: null },
      { start: null, limit: 1 },
    );
    expect(rows).toMatchObject([{ actor: null, subject: expect.any(String) }]);
  });

  it('does not revive sessions of a member removed and added again', async () => {
    const added = lower(newKey().address);
    await addMember(added, 'operator', [t.members.admin, secondAdmin]);
    const old = await beginSession(added, 'operator');
    await addMember(added, 'viewer', [t.members.admin, secondAdmin]);
    expect(await old()).toMatchObject({ status: 200, body: { role: 'viewer' } });
    // If another program deletes the row, the session remains.
    await t.sql.query('DELETE FROM admin_member WHERE address = $1', [added]);
    await addMember(added, 'operator', [t.members.admin, secondAdmin]);
    expect(await old()).toEqual(UNAUTHENTICATED);
    const { rows } = await t.sql.query<{ id: string }>('SELECT id FROM admin_session WHERE address = $1', [added]);
    expect((await t.admin.get(SessionsService).findLiving(rows.map(({ id }) => id))).size).toBe(0);
    const fresh = await beginSession(added, 'operator');
    expect((await fresh()).status).toBe(200);
    expect(await t.admin.get(SessionsService).list(added)).toHaveLength(1);
  });

  it.each<[string, () => readonly PrivateKeyAccount[], AdminRole | null]>([
    ['no member approved', () => [], null],
    ['one admin approved', () => [t.members.admin], null],
    ['one admin approved twice', () => [t.members.admin, t.members.admin], null],
    ['an operator approved too', () => [t.members.admin, t.members.operator], null],
    ['was approved for another role', () => [t.members.admin, secondAdmin], 'viewer'],
  ])('ignores a row of the database that %s', async (_, approvers, role) => {
    const forged = lower(newKey().address);
    await addMember(forged, 'admin', approvers(), { address: forged, role: role ?? 'admin' });
    expect(await (await beginSession(forged, 'admin'))()).toEqual(UNAUTHENTICATED);
    expect((await listed()).map(({ address }) => address)).not.toContain(forged);
  });

  it('ignores a row of the database with other evidence', async () => {
    const forged = lower(newKey().address);
    await t.sql.query(
      `INSERT INTO admin_member (address, role, request_id, request, approvals) VALUES ($1, 'admin', $2, '7', '"x"')`,
      [forged, aHash()],
    );
    expect(await (await beginSession(forged, 'admin'))()).toEqual(UNAUTHENTICATED);
  });

  it('keeps the role of the configuration, whatever a row says', async () => {
    await addMember(lower(t.members.viewer.address), 'admin', [t.members.admin, secondAdmin]);
    expect((await (await t.signedIn('viewer')).get('/session')).body).toMatchObject({ role: 'viewer' });
  });
});

@Controller('api/v1/admin')
class ForgottenController {
  @Get('forgotten')
  forgotten(): string {
    return 'for everybody';
  }
}

@Module({ controllers: [ForgottenController] })
class ForgottenModule {}

describe('a route without @Access', () => {
  it('prevents the server from starting', async () => {
    const adapter = new FastifyAdapter();
    const app = await NestFactory.create<NestFastifyApplication>(ForgottenModule, adapter, {
      logger: false,
      abortOnError: false,
    });
    t.admin.get(AccessCheck).install(adapter.getInstance());
    await expect(app.init()).rejects.toThrow('/api/v1/admin/forgotten');
    await app.close();
  });
});
