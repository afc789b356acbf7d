import { describe, expect, it } from '@jest/globals';
import { anAddress, aHash, loginUrl } from '@causeway/test-kit';
import { openStore, type AuditEntry, type AuditRow, type PageStart } from '../src/index.js';
import { useStore } from './temporary-store.js';

// The audit log in a real database, including tampering by a superuser.

const t = useStore();

const ANY = { actor: null, action: null, subject: null };

function anEntry(over: Partial<AuditEntry> = {}): AuditEntry {
  return { actor: anAddress(), role: 'operator', sessionId: null, action: 'retry', ...over };
}

/** Runs statements as a superuser with triggers disabled, and undoes them afterwards. */
async function tampered<T>(statements: readonly string[], look: () => Promise<T>): Promise<T> {
  await t.sql.query('CREATE TABLE kept AS TABLE admin_audit');
  const withoutTriggers = async (texts: readonly string[]) =>
    t.sql.query(['BEGIN', 'SET LOCAL session_replication_role = replica', ...texts, 'COMMIT'].join(';'));
  await withoutTriggers(statements);
  try {
    return await look();
  } finally {
    await withoutTriggers(['DELETE FROM admin_audit', 'INSERT INTO admin_audit TABLE kept']);
    await t.sql.query('DROP TABLE kept');
  }
}

describe('the audit log', () => {
  it('numbers rows from 1 without gaps and chains them, also with concurrent writers', async () => {
    const appended = await Promise.all(Array.from({ length: 30 }, async () => t.store.adminAudit.append(anEntry())));
    const sequences = appended.map(({ sequence }) => sequence).toSorted((a, b) => a - b);
    expect(sequences).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    const newest = appended.find(({ sequence }) => sequence === 30);
    expect(await t.store.adminAudit.verify()).toMatchObject({
      head: { sequence: 30, hash: newest?.hash },
      broken: null,
    });
  });

  it('returns appended rows, including texts that PostgreSQL rejects', async () => {
    const row = await t.store.adminAudit.append(
      anEntry({
        subject: aHash(),
        before: { b: null, a: [1, 'x', { z: true }], text: '<script>alert(1)</script> \u{1F600}' },
        after: { name: 'NUL \0, half \uD800' },
        reason: '=1+1 \0\uDC00',
        txHash: aHash(),
      }),
    );
    const { rows } = await t.store.adminAudit.page(ANY, { start: null, limit: 1 });
    expect(rows).toEqual([row]);
    expect(row.reason).toBe('=1+1 \uFFFD\uFFFD');
    expect((await t.store.adminAudit.verify()).broken).toBeNull();
  });

  it('is written together with the effect, or not at all', async () => {
    const before = await t.store.adminAudit.verify();
    const other = anAddress();
    const api = openStore({ databaseUrl: loginUrl(t.url, 'causeway_api'), onIdleError: () => undefined });
    const session = await api.adminSessions.begin(
      { tokenHash: aHash(), address: other, role: 'viewer', clientIp: null, userAgent: null },
      null,
      { idleMs: 60_000, absoluteMs: 60_000 },
    );
    const failing = api.adminSessions.begin(
      { tokenHash: '0x12', address: other, role: 'viewer', clientIp: null, userAgent: null },
      null,
      { idleMs: 60_000, absoluteMs: 60_000 },
    );
    await expect(failing).rejects.toThrow('admin_session_formats');
    await api.close();
    const { head, broken } = await t.store.adminAudit.verify({ ...before.head });
    expect([head.sequence, broken]).toEqual([before.head.sequence + 1, null]);
    const { rows } = await t.store.adminAudit.page({ ...ANY, subject: session.id }, { start: null, limit: 2 });
    expect(rows).toHaveLength(1);
  });

  it.each([
    ['an update', `UPDATE admin_audit SET reason = 'x' WHERE sequence = 1`],
    ['a deletion', 'DELETE FROM admin_audit WHERE sequence = 1'],
    ['an emptying', 'TRUNCATE admin_audit'],
    [
      'a gap',
      `INSERT INTO admin_audit SELECT 1000000, at, actor, role, session_id, action, subject, before, after, reason, tx_hash, previous_hash, hash FROM admin_audit WHERE sequence = 1`,
    ],
    [
      'a second beginning',
      `INSERT INTO admin_audit SELECT max(sequence) + 1, now(), NULL, NULL, NULL, 'x', NULL, NULL, NULL, NULL, NULL, '0x${'0'.repeat(64)}', '0x${'0'.repeat(64)}' FROM admin_audit`,
    ],
  ])('refuses %s', async (_, statement) => {
    await expect(t.sql.query(statement)).rejects.toThrow('audit log');
  });

  it.each<[string, string[], number | null, RegExp]>([
    ['an edited row', [`UPDATE admin_audit SET reason = 'x' WHERE sequence = 7`], 7, /column was changed/],
    [
      'an edited time',
      [`UPDATE admin_audit SET at = at + interval '1 ms' WHERE sequence = 7`],
      7,
      /column was changed/,
    ],
    ['a removed row', ['DELETE FROM admin_audit WHERE sequence = 7'], 8, /row 7 is missing/],
    ['a removed beginning', ['DELETE FROM admin_audit WHERE sequence < 4'], 4, /row 1 is missing/],
    ['a row before the first', ['UPDATE admin_audit SET sequence = 0 WHERE sequence = 30'], 0, /row 1 is missing/],
  ])('detects %s made by a superuser', async (_, statements, sequence, problem) => {
    const { broken } = await tampered(statements, async () => t.store.adminAudit.verify());
    expect(broken).toEqual({ sequence, problem: expect.stringMatching(problem) });
  });

  it('detects a truncated end by a noted head, even if the log continued afterwards', async () => {
    const { head } = await t.store.adminAudit.verify();
    const cut = [`DELETE FROM admin_audit WHERE sequence > ${head.sequence - 2}`];
    await tampered(cut, async () => {
      expect((await t.store.adminAudit.verify()).broken).toBeNull();
      expect((await t.store.adminAudit.verify(head)).broken).toMatchObject({
        problem: expect.stringMatching(/cut off/),
      });
      for (let more = 0; more < 5; more += 1) await t.store.adminAudit.append(anEntry());
      expect((await t.store.adminAudit.verify()).broken).toBeNull();
      expect((await t.store.adminAudit.verify(head)).broken).toMatchObject({ sequence: head.sequence });
    });
  });

  it('is paged in both directions by each filter, and by all filters', async () => {
    const [actor, subject] = [anAddress(), aHash()];
    const rows: AuditRow[] = [];
    for (let index = 0; index < 6; index += 1)
      rows.unshift(
        await t.store.adminAudit.append(anEntry({ actor, subject, action: index % 2 === 0 ? 'halt' : 'resume' })),
      );
    const sequences = (page: readonly AuditRow[]) => page.map(({ sequence }) => sequence);
    const all = sequences(rows);
    const page = async (filter: object, start: PageStart<bigint> | null) => {
      const found = await t.store.adminAudit.page({ ...ANY, ...filter }, { start, limit: 2 });
      return { ...found, rows: sequences(found.rows) };
    };
    for (const filter of [{ actor }, { subject }, { actor, subject }]) {
      const first = await page(filter, null);
      expect([first.rows, first.previous]).toEqual([all.slice(0, 2), null]);
      const second = await page(filter, first.next);
      const third = await page(filter, second.next);
      expect([second.rows, third.rows, third.next]).toEqual([all.slice(2, 4), all.slice(4, 6), null]);
      expect((await page(filter, third.previous)).rows).toEqual(all.slice(2, 4));
    }
    expect((await page({ actor, action: 'resume' }, null)).rows).toEqual([all[0], all[2]]);
    expect((await page({ actor, action: 'pause' }, null)).rows).toEqual([]);
    const streamed: number[] = [];
    for await (const part of t.store.adminAudit.all({ ...ANY, actor, action: 'halt' }))
      streamed.push(...sequences(part));
    expect(streamed).toEqual([all[1], all[3], all[5]]);
  });
});
