import { describe, expect, it } from '@jest/globals';
import {
  adminIntentsResponseSchema,
  adminOperationResponseSchema,
  adminRefundsResponseSchema,
  adminRefundResponseSchema,
  alertsResponseSchema,
  overviewResponseSchema,
  relayersResponseSchema,
  settingsResponseSchema,
  solvencyResponseSchema,
} from '@causeway/protocol/admin';
import { aHash, anAddress, ETHEREUM } from '@causeway/test-kit';
import type { Hex } from 'viem';
import { BUSY } from '../../../../packages/store/bench/large-store.js';
import { FAILED, get, HOSTILE, list, sql, t, viewer } from './filled-admin.js';

describe('a wrong query', () => {
  it.each([
    ['/operations?limit=0', 'limit'],
    ['/operations?limit=201', 'limit'],
    ['/operations?status=DONE', 'status'],
    ['/operations?delay=TIRED', 'delay'],
    ['/operations?asset=BTC', 'asset'],
    ['/operations?direction=UP', 'direction'],
    ['/operations?kind=GIFT', 'kind'],
    ['/operations?from=yesterday', 'from'],
    ['/operations?until=2026-13-01T00:00:00Z', 'until'],
    ['/operations?search=0x12', 'search'],
    ['/operations?cursor=!', 'cursor'],
    ['/operations?cursor=bm9uc2Vuc2U', 'cursor'],
    [`/operations?cursor=${Buffer.from('["older","5"]').toString('base64url')}`, 'cursor'],
    [`/operations?search=${BUSY}&cursor=${Buffer.from(`["older",5,"${FAILED}"]`).toString('base64url')}`, 'cursor'],
    ['/operations?color=red', 'color'],
    ['/operations.csv?limit=5', 'limit'],
    ['/operations/0x12', 'id'],
    [`/operations/${FAILED}?color=red`, 'color'],
    ['/intents?status=DONE', 'status'],
    ['/intents?cursor=AAAA', 'cursor'],
    ['/refunds?status=DONE', 'status'],
    ['/refunds/0x12', 'id'],
    ['/solvency?since=1', 'since'],
    ['/overview?color=red', 'color'],
    ['/alerts?color=red', 'color'],
    ['/relayers?color=red', 'color'],
    ['/settings?color=red', 'color'],
  ])('refuses %s, naming %s', async (path, field) => {
    const { status, body } = await viewer.get(path);
    expect({ status, body }).toMatchObject({ status: 400, body: { error: 'VALIDATION_ERROR' } });
    expect((body as { message: string }).message).toContain(field);
  });
});

describe('GET /operations/{id}', () => {
  const one = async (id: Hex) => get(adminOperationResponseSchema, `/operations/${id}`);

  it('shows a completed operation with every signed transaction', async () => {
    const { rows } = await sql.query<{ id: Hex }>(
      `SELECT operation_id AS id FROM call_operation WHERE call_id IN (SELECT call_id FROM signed_transaction GROUP BY 1 HAVING count(*) = 2) LIMIT 1`,
    );
    const record = await one(rows[0]!.id);
    expect(record).toMatchObject({ operation: { status: 'COMPLETED' }, waiting: null, allowed: [] });
    expect(record.deliveredAmount).toBe(record.operation.outputAmount);
    expect(record.calls).toMatchObject([
      { purpose: 'DELIVERY', state: 'SUCCEEDED', feePaid: '350000000000000', endedAt: expect.anything() },
    ]);
    expect(record.calls[0]!.attempts.filter(({ isFinal }) => isFinal)).toHaveLength(1);
    expect(record.calls[0]!.attempts).toHaveLength(2);
    const events = record.timeline.map(({ event }) => event);
    expect(events).toEqual(
      expect.arrayContaining(['CREATED', 'FINAL', 'SIGNED', 'REPLACED', 'CALL_ENDED', 'MINED', 'SETTLED']),
    );
    const places = ['SIGNED', 'MINED', 'SETTLED'].map((event) => events.indexOf(event));
    expect(places).toEqual(places.toSorted((before, after) => before - after));
  });

  it('says why a delayed operation waits, until when, and that it can be retried', async () => {
    const { operations } = await list('delay=PAUSED&limit=1');
    const record = await one(operations[0]!.id);
    expect(record.waiting).toMatchObject({
      reason: 'PAUSED',
      sentence: expect.stringContaining('paused'),
      until: '2026-11-22T12:01:00.000Z',
    });
    expect(record.allowed).toEqual(['RETRY']);
    expect(record.retryEffect).toContain('It waits as PAUSED: it is delivered only once that cause is gone');
    expect(record.docs).toBe('docs/errors.md#paused');
    expect(record.deliveredAmount).toBeNull();
    expect(record.timeline).toContainEqual(
      expect.objectContaining({ event: 'DELAYED', actor: 'relayer', cause: 'PAUSED' }),
    );
  });

  it("shows a failed transfer with its refund and a member's actions", async () => {
    await t.store.adminAudit.append({
      actor: anAddress('operator'),
      role: 'operator',
      sessionId: null,
      action: 'refund-approve',
      subject: FAILED,
      reason: HOSTILE,
    });
    const record = await one(FAILED);
    expect(record.waiting).toMatchObject({ reason: 'REFUND_REQUESTED' });
    expect(record.allowed).toEqual(['REFUND_APPROVE', 'REFUND_REFUSE']);
    expect(record.timeline).toContainEqual(
      expect.objectContaining({ event: 'REFUND_APPROVE', actor: anAddress('operator'), cause: HOSTILE }),
    );
  });

  it("shows attesters' answers while waiting for them, as does the page of a refund", async () => {
    const { operations } = await list('delay=PAUSED&limit=1');
    const { id } = operations[0]!;
    const [signer, refuser, away] = [1, 2, 3].map((digit) => `0x${`${digit}`.repeat(40)}`);
    for (const subject of [id, FAILED])
      await sql.query(
        `INSERT INTO attester_answer VALUES ($1, $2, 'SIGN', NULL, NULL, '2026-11-28T10:00:00Z'),
           ($1, $3, 'REFUSE', 'WRONG_AMOUNT', $5, '2026-11-28T10:00:00Z'), ($1, $4, NULL, NULL, NULL, NULL)`,
        [subject, signer, refuser, away, HOSTILE],
      );
    const none = { reason: null, sentence: null, at: null };
    const at = '2026-11-28T10:00:00.000Z';
    const attesters = [
      { address: signer, ...none, verdict: 'SIGN', at },
      { address: refuser, verdict: 'REFUSE', reason: 'WRONG_AMOUNT', sentence: HOSTILE, at },
      { address: away, ...none, verdict: null },
    ];
    expect((await one(id)).attesters).toEqual(attesters);
    expect((await get(adminRefundResponseSchema, `/refunds/${FAILED}`)).attesters).toEqual(attesters);
    await sql.query('DELETE FROM attester_answer');
    expect((await one(id)).attesters).toEqual([]);
  });

  it('shows an intent, which operators can reject before it is paid', async () => {
    const { operations } = await list('kind=INTENT&status=PENDING_ORIGIN_TX&limit=1');
    const record = await one(operations[0]!.id);
    expect(record).toMatchObject({
      kind: 'INTENT',
      allowed: ['INTENT_REJECT'],
      waiting: { reason: 'AWAITING_PAYMENT', until: expect.any(String) },
    });
  });

  it('is 404 for an unknown id', async () => {
    expect(await viewer.get(`/operations/${aHash()}`)).toMatchObject({
      status: 404,
      body: { error: 'OPERATION_NOT_FOUND' },
    });
  });
});

describe('the other pages', () => {
  it('list intents with their windows, by status', async () => {
    const { intents, nextCursor } = await get(adminIntentsResponseSchema, '/intents?status=EXPIRED&limit=10');
    expect(intents).toHaveLength(10);
    expect(intents.every(({ status, kind }) => status === 'EXPIRED' && kind === 'INTENT')).toBe(true);
    const next = await get(adminIntentsResponseSchema, `/intents?status=EXPIRED&limit=10&cursor=${nextCursor}`);
    expect(next.intents[0]!.createdAt <= intents.at(-1)!.createdAt).toBe(true);
    expect(next.previousCursor).not.toBeNull();
  });

  it('list refunds by status, with transactions that may have paid them already', async () => {
    const delivery = aHash();
    await sql.query(
      `INSERT INTO chain_event (chain_id, tx_hash, log_index, block_number, block_hash, name, operation_id, args, verdict)
       VALUES (${ETHEREUM}, '${aHash()}', 0, 9999999, '${aHash()}', 'Release', $1, '{"amount": "4999999999999999999", "fee": "1"}', 'ACCEPTED')`,
      [delivery],
    );
    const { refunds } = await get(adminRefundsResponseSchema, '/refunds?status=REQUESTED');
    expect(refunds).toMatchObject([
      { id: FAILED, failureReason: 'TRANSFER_UNMATCHED', amountFormatted: '5', maybePaidBy: [delivery] },
    ]);
    expect(await get(adminRefundResponseSchema, `/refunds/${FAILED}`)).toEqual({ ...refunds[0], attesters: [] });
    const request = aHash();
    await sql.query(
      `INSERT INTO admin_request (id, terms, reason, version, decided_on, requested_by, approvals_needed, valid_until, state, created_at)
       VALUES ($1, $2, 'why', $1, '{}', '${BUSY}', 2, now() + interval '1 minute', 'AWAITING_APPROVAL', now())`,
      [request, { kind: 'REFUND_APPROVE', refundId: FAILED, recipient: BUSY, amount: '5' }],
    );
    await sql.query(
      `INSERT INTO admin_approval (request_id, operator, signature, created_at) VALUES ($1, '${BUSY}', '0x${'0'.repeat(130)}', now())`,
      [request],
    );
    const decided = await get(adminRefundResponseSchema, `/refunds/${FAILED}`);
    expect(decided.decisions).toMatchObject([{ operator: BUSY, kind: 'APPROVE', recipient: BUSY }]);
    const completed = (await get(adminRefundsResponseSchema, '/refunds?status=COMPLETED')).refunds;
    expect(completed.map(({ id, status }) => [id === FAILED, status])).toEqual(
      completed.map(() => [false, 'COMPLETED']),
    );
    expect(await viewer.get(`/refunds/${aHash()}`)).toMatchObject({ status: 404 });
  });

  it('show the state of the bridge from the database alone while no node answers', async () => {
    const overview = await get(overviewResponseSchema, '/overview');
    expect(overview.assets.map(({ locked, float }) => [locked, float])).toEqual([
      [null, null],
      [null, null],
      [null, null],
    ]);
    expect(overview.chains.map(({ head, nextBlock }) => [head, nextBlock > 10_000_000])).toEqual([
      [null, true],
      [null, true],
    ]);
    const { rows } = await sql.query<{ status: string; count: number }>(
      `SELECT status, count(*)::int AS count FROM operation WHERE status NOT IN ('COMPLETED', 'FAILED', 'EXPIRED') GROUP BY 1`,
    );
    expect(overview.open.byStatus).toEqual(expect.arrayContaining(rows));
    expect(overview.open.byDelay).toMatchObject([{ reason: 'PAUSED', count: 6 }]);
    expect(overview.lease).toMatchObject({ holder: 'test', isHeld: true });
    expect(overview.refundsWaiting).toBe(1);
    expect(overview.requestsWaiting).toBe(1);
  });

  it('reduce the totals of XCN to 500 points, including the newest', async () => {
    const { points } = await get(solvencyResponseSchema, '/solvency');
    expect(points.length).toBeGreaterThan(300);
    expect(points.length).toBeLessThanOrEqual(500);
    expect(points.at(-1)).toMatchObject({ minted: '12000', withdrawn: '1200' });
    const since = new Date(Date.now() - 10.5 * 3_600_000).toISOString();
    expect((await get(solvencyResponseSchema, `/solvency?since=${since}`)).points).toHaveLength(11);
  });

  it('name the signing wallets and the settings', async () => {
    const { wallets, lease } = await get(relayersResponseSchema, '/relayers');
    expect(lease.holder).toBe('test');
    expect(wallets).toContainEqual(
      expect.objectContaining({
        address: `0x${'a'.repeat(40)}`,
        isCurrent: false,
        balance: null,
        lastNonce: expect.any(String),
      }),
    );
    expect(await get(settingsResponseSchema, '/settings')).toMatchObject({
      environment: 'local',
      holdSeconds: 60,
      chains: [
        { side: 'ethereum', requiredConfirmations: 4 },
        { side: 'partner', requiredConfirmations: 3 },
      ],
    });
  });

  it('list alerts, worst first, with hostile texts as data', async () => {
    await t.store.halts.halt(ETHEREUM, HOSTILE);
    const answer = await viewer.get('/alerts');
    const { alerts } = alertsResponseSchema.parse(answer.body);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(alerts[0]).toMatchObject({
      code: 'Halted',
      severity: 'critical',
      subject: 'ethereum',
      sentence: expect.stringContaining(HOSTILE),
    });
    const codes = alerts.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['RefundsWait', 'QuorumLost', 'DeliveryWaits', 'ApprovalsWait']));
    const order = ['critical', 'warning', 'info'];
    const severities = alerts.map(({ severity }) => order.indexOf(severity));
    expect(severities).toEqual(severities.toSorted((one, other) => one - other));
  });
});
