import { describe, expect, it } from '@jest/globals';
import { keccak256, stringToBytes } from 'viem';
import { FIRST_PREVIOUS_HASH, hashRow, type AuditRow } from './audit-log.js';
import { EMPTY_AUDIT, followRows, missingTail } from './verify-audit.js';

const entry = {
  at: new Date(Date.UTC(2026, 0, 31, 12)),
  actor: `0x${'1'.repeat(40)}`,
  role: 'operator',
  sessionId: '5f0c3b8e-0f6c-4b6e-9d6c-0a1b2c3d4e5f',
  action: 'retry',
  subject: `0x${'2'.repeat(64)}`,
  before: { status: 'DELAYED' },
  after: { status: 'AWAITING_RELAY', attempts: 3 },
  reason: 'the float was filled',
  txHash: null,
} as const;

/** A log of some rows. */
function makeLog(count: number): AuditRow[] {
  const rows: AuditRow[] = [];
  for (let sequence = 1; sequence <= count; sequence += 1) {
    const unhashed = { ...entry, sequence, previousHash: rows.at(-1)?.hash ?? FIRST_PREVIOUS_HASH };
    rows.push({ ...unhashed, hash: hashRow(unhashed) });
  }
  return rows;
}

describe('hashRow', () => {
  it('hashes the documented text', () => {
    const text =
      `{"action":"retry","actor":"0x${'1'.repeat(40)}","after":{"attempts":3,"status":"AWAITING_RELAY"},` +
      `"at":"2026-01-31T12:00:00.000Z","before":{"status":"DELAYED"},"previousHash":"0x${'0'.repeat(64)}",` +
      `"reason":"the float was filled","role":"operator","sequence":1,` +
      `"sessionId":"5f0c3b8e-0f6c-4b6e-9d6c-0a1b2c3d4e5f","subject":"0x${'2'.repeat(64)}","txHash":null}`;
    expect(makeLog(1)[0]?.hash).toBe(keccak256(stringToBytes(text)));
  });

  it.each<[keyof AuditRow, Partial<AuditRow>]>([
    ['sequence', { sequence: 2 }],
    ['at', { at: new Date(Date.UTC(2026, 0, 31, 12, 0, 0, 1)) }],
    ['actor', { actor: null }],
    ['role', { role: 'admin' }],
    ['sessionId', { sessionId: null }],
    ['action', { action: 'retr' }],
    ['subject', { subject: null }],
    ['before', { before: { status: 'DELAYEd' } }],
    ['after', { after: null }],
    ['reason', { reason: '' }],
    ['txHash', { txHash: `0x${'3'.repeat(64)}` }],
    ['previousHash', { previousHash: `0x${'4'.repeat(64)}` }],
  ])('changes with %s', (_, over) => {
    const [row] = makeLog(1);
    if (row === undefined) throw new Error('no row');
    expect(hashRow({ ...row, ...over })).not.toBe(row.hash);
  });
});

describe('followRows', () => {
  it('follows an unbroken log to its head, in any pages', () => {
    const rows = makeLog(5);
    const { head } = followRows(EMPTY_AUDIT, rows.slice(0, 2), null);
    const last = rows.at(-1);
    expect(followRows(head, rows.slice(2), null)).toEqual({ head: { sequence: 5, hash: last?.hash }, broken: null });
    expect(followRows(EMPTY_AUDIT, [], null)).toEqual({ head: EMPTY_AUDIT, broken: null });
  });

  it.each<[string, (rows: AuditRow[]) => AuditRow[], number, RegExp]>([
    ['an edited row', (rows) => rows.with(2, { ...(rows[2] as AuditRow), reason: 'x' }), 3, /a column was changed/],
    [
      'an edited row with its new hash',
      (rows) => {
        const edited = { ...(rows[2] as AuditRow), reason: 'x' };
        return rows.with(2, { ...edited, hash: hashRow(edited) });
      },
      4,
      /row 3 has the hash/,
    ],
    ['a removed row', (rows) => rows.toSpliced(1, 1), 3, /row 2 is missing/],
    ['a removed beginning', (rows) => rows.slice(1), 2, /row 1 is missing/],
    [
      'two rows that changed places',
      (rows) => rows.with(1, rows[2] as AuditRow).with(2, rows[1] as AuditRow),
      3,
      /missing/,
    ],
  ])('finds %s', (_, edit, sequence, problem) => {
    const { head, broken } = followRows(EMPTY_AUDIT, edit(makeLog(5)), null);
    expect(broken).toEqual({ sequence, problem: expect.stringMatching(problem) });
    expect(head.sequence).toBeLessThan(sequence);
  });

  it('finds a rewritten log by a head noted earlier', () => {
    const rows = makeLog(5);
    const known = { sequence: 4, hash: `0x${'9'.repeat(64)}` } as const;
    expect(followRows(EMPTY_AUDIT, rows, known).broken).toMatchObject({ sequence: 4 });
    expect(followRows(EMPTY_AUDIT, rows, { sequence: 4, hash: rows[3]?.hash ?? '0x' }).broken).toBeNull();
  });
});

describe('missingTail', () => {
  it('reports a log that ends before a noted head', () => {
    const head = { sequence: 3, hash: `0x${'1'.repeat(64)}` } as const;
    expect(missingTail(head, { sequence: 5, hash: `0x${'2'.repeat(64)}` })).toMatchObject({ sequence: 4 });
    expect(missingTail(head, head)).toBeNull();
    expect(missingTail(head, null)).toBeNull();
  });
});
