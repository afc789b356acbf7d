import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditResponse } from '@causeway/protocol/admin';
import type { AuditRow } from '@causeway/store';
import { aHash, anAddress } from '@causeway/test-kit';
import { refusal } from '../temporary-api.js';
import { temporaryAdmin, type SignedIn, type TemporaryAdmin } from './temporary-admin.js';

// The audit log as the console reads it.

let t: TemporaryAdmin;
let viewer: SignedIn;
beforeAll(async () => {
  t = await temporaryAdmin();
  viewer = await t.signedIn('viewer');
});
afterAll(async () => t?.close());

async function append(
  over: Partial<Parameters<TemporaryAdmin['store']['adminAudit']['append']>[0]>,
): Promise<AuditRow> {
  return t.store.adminAudit.append({ actor: anAddress(), role: 'operator', sessionId: null, action: 'retry', ...over });
}
const page = async (query: string) => (await viewer.get(`/audit?${query}`)).body as AuditResponse;
const sequences = ({ rows }: AuditResponse) => rows.map(({ sequence }) => sequence);

describe('GET /audit', () => {
  it('has complete rows, newest first, with texts unchanged', async () => {
    const reason = '<img src=x onerror=alert(1)> =1+1 \u{1F600}';
    const row = await append({
      subject: aHash(),
      before: { status: 'DELAYED' },
      after: ['x'],
      reason,
      txHash: aHash(),
    });
    const { rows } = await page('limit=1');
    expect(rows).toEqual([{ ...row, at: row.at.toISOString(), reported: null }]);
    expect(rows[0]?.reason).toBe(reason);
  });

  it('is paged both ways while rows are added, by any filters', async () => {
    const [actor, subject] = [anAddress(), aHash()];
    for (let index = 0; index < 5; index += 1)
      await append({ actor, subject, action: index % 2 === 0 ? 'halt' : 'resume' });
    const filters = `actor=${actor.toUpperCase().replace('X', 'x')}&subject=${subject}&limit=2`;
    const first = await page(filters);
    await append({ actor, subject });
    const second = await page(`${filters}&cursor=${first.nextCursor}`);
    const third = await page(`${filters}&cursor=${second.nextCursor}`);
    const seen = [first, second, third].flatMap(sequences);
    expect(seen).toEqual(seen.toSorted((a, b) => b - a));
    expect([new Set(seen).size, third.nextCursor, first.previousCursor]).toEqual([5, null, null]);
    expect(sequences(await page(`${filters}&cursor=${third.previousCursor}`))).toEqual(sequences(second));
    const back = await page(`${filters}&cursor=${second.previousCursor}`);
    expect(sequences(back)).toEqual(sequences(first));
    // The row that was added meanwhile.
    expect(sequences(await page(`${filters}&cursor=${back.previousCursor}`))).toHaveLength(1);
    expect(sequences(await page(`${filters}&action=resume`))).toHaveLength(2);
    expect(await page(`actor=${anAddress()}`)).toEqual({ rows: [], nextCursor: null, previousCursor: null });
  });

  it('shows a reported call as not confirmed while no node answers', async () => {
    const [actor, txHash] = [anAddress(), aHash()];
    const after = { command: 'pause', transactions: [{ side: 'partner', txHash }] };
    await append({ actor, action: 'contract-call', after, txHash });
    const { rows } = await page('action=contract-call');
    const sentence = `Reported by ${actor}, not confirmed: the nodes cannot be read now.`;
    expect(rows).toMatchObject([{ after, reported: [{ txHash, state: 'NOT_CONFIRMED', calls: [], sentence }] }]);
  });

  it('finds actions on a session or a member', async () => {
    expect((await page(`subject=${viewer.sessionId}`)).rows).toMatchObject([{ action: 'sign-in' }]);
    const row = await append({ subject: t.members.viewer.address.toLowerCase(), action: 'member-set' });
    expect(sequences(await page(`subject=${t.members.viewer.address}`))).toEqual([row.sequence]);
  });

  it.each([
    ['actor', 'actor=0x12'],
    ['action', 'action=DROP%20TABLE'],
    ['subject', 'subject=hello'],
    ['limit', 'limit=0'],
    ['limit', 'limit=201'],
    ['limit', 'limit=x'],
    ['cursor', 'cursor=%3D'],
    ['cursor', 'cursor=aGVsbG8'],
    ['order', 'order=asc'],
  ])('refuses a malformed %s: %s', async (field, query) => {
    const refused = refusal(400, 'VALIDATION_ERROR', expect.stringMatching(new RegExp(`^${field} `)));
    expect(await viewer.get(`/audit?${query}`)).toEqual(refused);
    if (['actor', 'action', 'subject', 'order'].includes(field))
      expect(await viewer.get(`/audit.csv?${query}`)).toEqual(refused);
  });
});

describe('GET /audit.csv', () => {
  it('is exported without formula cells', async () => {
    const row = await append({
      subject: aHash(),
      before: { reason: '=1' },
      reason: '=HYPERLINK("https://evil.example","a, b")\nsecond line',
    });
    const answer = await viewer.get(`/audit.csv?subject=${row.subject}`);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="audit.csv"',
      'cache-control': 'no-store',
    });
    expect(answer.text).toBe(
      'sequence,at,actor,role,sessionId,action,subject,before,after,reason,txHash,previousHash,hash\r\n' +
        `${row.sequence},${row.at.toISOString()},${row.actor},operator,,retry,${row.subject},` +
        `"{""reason"":""=1""}",,"'=HYPERLINK(""https://evil.example"",""a, b"")\nsecond line",,` +
        `${row.previousHash},${row.hash}\r\n`,
    );
  });

  it('exports every row, newest first, however many there are', async () => {
    const actor = anAddress();
    const { sequence } = await append({ actor });
    await t.sql.query(`
      BEGIN;
      SET LOCAL session_replication_role = replica;
      INSERT INTO admin_audit
      SELECT sequence + n, at, actor, role, session_id, action, subject, before, after, reason, tx_hash, previous_hash, hash
      FROM admin_audit, generate_series(1, 4999) AS n WHERE sequence = ${sequence};
      COMMIT`);
    const { text } = await viewer.get(`/audit.csv?actor=${actor}&action=retry`);
    const numbers = text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => Number(line.split(',')[0]));
    expect(numbers).toEqual(Array.from({ length: 5_000 }, (_, index) => sequence + 4_999 - index));
  });
});
