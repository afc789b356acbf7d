import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { computeRefundId } from '@causeway/protocol';
import {
  requestDeployment,
  requestDigest,
  requestWords,
  type PreviewResponse,
  type RequestResponse,
  type RequestsResponse,
  type RequestTerms,
} from '@causeway/protocol/admin';
import { aTransfer } from '@causeway/store/test';
import { aHash, anAddress, ETHEREUM, PARTNER } from '@causeway/test-kit';
import type { Address, Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { refusal } from '../temporary-api.js';
import { temporaryAdmin, type SignedIn, type TemporaryAdmin } from './temporary-admin.js';

// Operators' requests as the console sends them. No relayer runs, so none is carried out.

let t: TemporaryAdmin;
let operator: SignedIn;
/** The second person: an admin can do everything an operator can. */
let second: SignedIn;
beforeAll(async () => {
  t = await temporaryAdmin();
  operator = await t.signedIn('operator');
  second = await t.signedIn('admin');
});
afterAll(async () => t?.close());

const REASON = 'a test of the console';
const AMOUNT = 7_000n * 10n ** 18n;

/** A refund that waits for a decision. */
async function requested(payer = anAddress(), amount = AMOUNT): Promise<Hex> {
  const transfer = aTransfer({ payer, amount });
  const block = await t.scan(PARTNER, { transfers: [transfer] });
  const arrivals = await t.store.refunds.findUnmatched(PARTNER, block.number);
  const final = arrivals.map((arrival) => ({ ...arrival, finalizedAt: block.timestamp, confirmations: 3 }));
  await t.store.refunds.failArrivals(t.fence, final, { ethereum: ETHEREUM, partner: PARTNER });
  return computeRefundId({ chainId: PARTNER, ...transfer });
}

async function approval(recipient: Address = anAddress()): Promise<RequestTerms> {
  return { kind: 'REFUND_APPROVE', refundId: await requested(recipient), recipient, amount: AMOUNT.toString() };
}

async function preview(terms: RequestTerms, by = operator): Promise<PreviewResponse> {
  const answer = await by.post('/requests/preview', { terms, reason: REASON });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as PreviewResponse;
}

async function sign(account: PrivateKeyAccount, terms: RequestTerms, shown: PreviewResponse): Promise<Hex> {
  const { requestId: id, state: decidedOn, validUntil } = shown;
  const request = { id, terms, decidedOn, validUntil, reason: REASON };
  return account.sign({ hash: requestDigest(requestDeployment(t.book), request) });
}

/** The body that the console sends after a preview. */
async function makeBody(terms: RequestTerms, shown: PreviewResponse) {
  const signature = shown.approvalsNeeded === 0 ? null : await sign(t.members.operator, terms, shown);
  const { requestId, version, validUntil } = shown;
  return { requestId, terms, reason: REASON, version, validUntil, signature };
}

async function created(terms: RequestTerms) {
  const shown = await preview(terms);
  const body = await makeBody(terms, shown);
  const answer = await operator.post('/requests', body);
  expect(answer).toMatchObject({ status: 200 });
  return { shown, body, request: answer.body as RequestResponse };
}

const halt = (): RequestTerms => ({ kind: 'HALT', target: 'deliveries' });

describe('the approval of a refund that a release may have paid out', () => {
  it('is refused unless its reason names the release', async () => {
    const amount = 8_000n * 10n ** 18n;
    const [recipient, operationId] = [anAddress(), aHash()];
    const terms = {
      kind: 'REFUND_APPROVE',
      refundId: await requested(recipient, amount),
      recipient,
      amount: `${amount}`,
    };
    const ask = async (reason: string) => operator.post('/requests/preview', { terms, reason });
    const unaware = (await ask(REASON)).body as PreviewResponse;
    const args = { amount: `${amount - 5n}`, fee: '5', recipient, token: anAddress() };
    await t.scan(ETHEREUM, { events: [{ txHash: aHash(), logIndex: 0, name: 'Release', operationId, args }] });
    const refused = refusal(409, 'WRONG_STATE', expect.stringContaining(operationId));
    expect(await ask(REASON)).toEqual(refused);
    expect(await operator.post('/requests', await makeBody(terms as RequestTerms, unaware))).toEqual(refused);
    expect(await ask(`${operationId} paid another one`)).toMatchObject({ status: 200 });
  });
});

describe('a request that needs no approval', () => {
  it('is queued; the same body is the same request, and another body with its id is refused', async () => {
    const { body, request, shown } = await created(halt());
    expect(shown).toMatchObject({ approvalsNeeded: 0, typedData: null, state: { about: 'halt', halt: null } });
    expect(request).toMatchObject({ state: 'QUEUED', terms: halt(), approvals: [], typedData: null, outcome: null });
    expect((await operator.post('/requests', body)).body).toEqual(request);
    expect((await operator.get(`/requests/${request.id}`)).body).toEqual(request);
    expect(await operator.post('/requests', { ...body, reason: 'another' })).toEqual(refusal(409, 'WRONG_STATE'));
    // A second person makes the same request.
    const other = await preview(halt(), second);
    expect(await second.post('/requests', { ...(await makeBody(halt(), other)) })).toEqual(
      refusal(409, 'WRONG_STATE', expect.stringContaining(request.id)),
    );
    await t.store.requests.end(t.fence, request.id, { state: 'REFUSED', outcome: 'a test', now: new Date() });
  });

  it('creates one request from ten concurrent ones', async () => {
    const previews = await Promise.all(Array.from({ length: 10 }, async () => preview(halt())));
    const bodies = await Promise.all(previews.map(async (shown) => makeBody(halt(), shown)));
    const answers = await Promise.all(bodies.map(async (body) => operator.post('/requests', body)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 409),
    ]);
    const { id } = answers.find(({ status }) => status === 200)!.body as RequestResponse;
    await t.store.requests.end(t.fence, id, { state: 'REFUSED', outcome: 'a test', now: new Date() });
  });
});

describe('a request that needs a second person', () => {
  it('waits for another person, not the requester, and is then queued', async () => {
    const terms = await approval();
    const { request, shown } = await created(terms);
    expect(request).toMatchObject({ state: 'AWAITING_APPROVAL', approvalsNeeded: 2 });
    const { state: decidedOn, validUntil, chainIds } = shown;
    const words = requestWords({ terms, decidedOn, reason: REASON, validUntil }, chainIds);
    expect(words).toMatchObject({ amount: '7,000 XCN', chain: 'Partner chain', reason: REASON });
    // The preview that the first person signs and the response that the second person signs are the same message.
    expect(request.typedData).toEqual(shown.typedData);
    expect(request.typedData).toMatchObject({
      primaryType: 'AdminRequest',
      message: { ...words, requestId: request.id, state: shown.version },
    });
    const approve = async (by: SignedIn, account: PrivateKeyAccount) =>
      by.post(`/requests/${request.id}/approvals`, { signature: await sign(account, terms, shown) });
    expect(await approve(operator, t.members.operator)).toEqual(refusal(409, 'WRONG_STATE'));
    expect(await approve(second, t.members.operator)).toEqual(refusal(400, 'SIGNATURE_MISMATCH'));
    const viewer = await t.signedIn('viewer');
    expect(await approve(viewer, t.members.viewer)).toEqual(refusal(403, 'FORBIDDEN'));
    const approved = await approve(second, t.members.admin);
    expect(approved).toMatchObject({ status: 200, body: { state: 'QUEUED' } });
    expect((approved.body as RequestResponse).approvals).toHaveLength(2);
    // The response was lost, and the console retries.
    expect((await approve(second, t.members.admin)).body).toEqual(approved.body);
    const subject = 'refundId' in terms ? terms.refundId : null;
    const { rows } = await t.store.adminAudit.page({ actor: null, action: null, subject }, { start: null, limit: 5 });
    expect(rows.map(({ action, role }) => [action, role])).toEqual([
      ['approve', 'admin'],
      ['request', 'operator'],
    ]);
    expect((await t.store.adminAudit.verify()).broken).toBeNull();
  });

  it('is refused without a signature, and with a signature of another message', async () => {
    const terms = await approval();
    const body = await makeBody(terms, await preview(terms));
    expect(await operator.post('/requests', { ...body, signature: null })).toEqual(refusal(400, 'VALIDATION_ERROR'));
    expect(await operator.post('/requests', { ...body, signature: '0x12' })).toEqual(refusal(400, 'VALIDATION_ERROR'));
    expect(await operator.post('/requests', { ...body, reason: 'another' })).toEqual(
      refusal(400, 'SIGNATURE_MISMATCH'),
    );
    expect(await second.post('/requests', body)).toEqual(refusal(400, 'SIGNATURE_MISMATCH'));
  });

  it('is refused when the signed text derives from another state', async () => {
    const terms = await approval();
    const shown = await preview(terms);
    const body = await makeBody(terms, shown);
    const other = { ...shown, state: { ...shown.state, asset: 'USDC' } as PreviewResponse['state'] };
    const signature = await sign(t.members.operator, terms, other);
    expect(await operator.post('/requests', { ...body, signature })).toEqual(refusal(400, 'SIGNATURE_MISMATCH'));
  });

  it('expires after 15 minutes, and can then be requested again', async () => {
    const terms = await approval();
    const { request, shown, body } = await created(terms);
    const late = new Date(Date.now() + 16 * 60_000);
    expect((await t.store.requests.findOverdue(late)).map(({ id }) => id)).toContain(request.id);
    await t.store.requests.end(t.fence, request.id, { state: 'EXPIRED', outcome: 'a test', now: late });
    const signature = await sign(t.members.admin, terms, shown);
    expect(await second.post(`/requests/${request.id}/approvals`, { signature })).toEqual(
      refusal(410, 'APPROVAL_EXPIRED'),
    );
    const old = { ...body, requestId: aHash(), validUntil: Math.floor(Date.now() / 1_000) - 1 };
    expect(await operator.post('/requests', old)).toEqual(refusal(410, 'APPROVAL_EXPIRED'));
    expect(await operator.post('/requests', { ...old, validUntil: old.validUntil + 3_600 })).toEqual(
      refusal(400, 'VALIDATION_ERROR'),
    );
    expect((await created(terms)).request.state).toBe('AWAITING_APPROVAL');
  });

  it('is refused once the state has changed, as is its approval', async () => {
    const terms = await approval();
    const refundId = 'refundId' in terms ? terms.refundId : aHash();
    const other: RequestTerms = { kind: 'REFUND_REFUSE', refundId };
    const { request, shown } = await created(terms);
    const stale = await makeBody(other, await preview(other));
    await t.store.requests.perform({ kind: 'refuse-refund', refundId }, { action: 'refund-refuse' });
    expect(await operator.post('/requests', stale)).toEqual(refusal(409, 'STALE_VERSION'));
    const signature = await sign(t.members.admin, terms, shown);
    expect(await second.post(`/requests/${request.id}/approvals`, { signature })).toEqual(
      refusal(409, 'STALE_VERSION'),
    );
    expect(await operator.post('/requests/preview', { terms, reason: REASON })).toEqual(
      refusal(409, 'WRONG_STATE', expect.stringContaining('REFUSED')),
    );
  });
});

describe('requests about members', () => {
  it('are for admins, and not about members of the configuration', async () => {
    const terms: RequestTerms = { kind: 'MEMBER_SET', address: anAddress(), role: 'viewer' };
    expect(await operator.post('/requests/preview', { terms, reason: REASON })).toEqual(refusal(403, 'FORBIDDEN'));
    expect(await preview(terms, second)).toMatchObject({ approvalsNeeded: 2, state: { about: 'member', role: null } });
    const root = { ...terms, address: t.members.viewer.address };
    expect(await second.post('/requests/preview', { terms: root, reason: REASON })).toEqual(
      refusal(409, 'WRONG_STATE', expect.stringContaining('ADMIN_ALLOW_LIST')),
    );
  });
});

describe('GET /requests', () => {
  it('lists them in pages, forwards and backwards', async () => {
    const page = async (query: string) => (await operator.get(`/requests?${query}`)).body as RequestsResponse;
    const all = (await page('limit=200')).requests.map(({ id }) => id);
    expect(all.length).toBeGreaterThan(4);
    const first = await page('limit=2');
    const next = await page(`limit=2&cursor=${first.nextCursor}`);
    expect([...first.requests, ...next.requests].map(({ id }) => id)).toEqual(all.slice(0, 4));
    expect((await page(`limit=2&cursor=${next.previousCursor}`)).requests).toEqual(first.requests);
    const { requests } = await page('state=EXPIRED');
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.every(({ state }) => state === 'EXPIRED')).toBe(true);
    expect(await operator.get(`/requests/${aHash()}`)).toEqual(refusal(404, 'NOT_FOUND'));
  });

  it.each<readonly [string, unknown, string]>([
    ['terms', { terms: { kind: 'HALT', target: 'moon' }, reason: REASON }, 'target'],
    ['an unknown kind', { terms: { kind: 'STEAL' }, reason: REASON }, 'terms'],
    ['an unknown field', { terms: halt(), reason: REASON, force: true }, 'force'],
    ['no reason', { terms: halt() }, 'reason'],
    ['a reason of two lines', { terms: halt(), reason: 'two\nlines' }, 'reason'],
    ['an unknown operation', { terms: { kind: 'RETRY', operationId: '0x12' }, reason: REASON }, 'operationId'],
  ])('a preview with malformed %s names the field', async (_, body, field) => {
    expect(await operator.post('/requests/preview', body)).toEqual(
      refusal(400, 'VALIDATION_ERROR', expect.stringContaining(field)),
    );
  });

  it('refuses an unknown operation', async () => {
    const terms = { kind: 'RETRY', operationId: aHash() };
    expect(await operator.post('/requests/preview', { terms, reason: REASON })).toEqual(refusal(404, 'NOT_FOUND'));
  });
});
