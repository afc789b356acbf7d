import { describe, expect, it } from '@jest/globals';
import type { DatabaseState } from '@causeway/store';
import { checkDatabase, type Halts } from './check-database.js';

const none = { missing: [], failed: [], changed: [], tooNew: [] };
const check = (over: Partial<DatabaseState> = {}, halts: Partial<Halts> = {}) => {
  const value = { versionNumber: 180_004, migrations: none, driversAgree: true, ...over };
  const findings = checkDatabase({ ok: true, value }, { chains: [], deliveries: null, reconcile: null, ...halts });
  return findings.map(({ severity, finding }) => `${severity} ${finding}`);
};

describe('checkDatabase', () => {
  it('accepts a correct database', () => {
    expect(check()).toEqual(['ok PostgreSQL 18: every migration is applied, no halt']);
  });

  it.each([
    ['an old version', { versionNumber: 130_020 }, 'error PostgreSQL 13 is too old'],
    [
      'a missing migration',
      { migrations: { ...none, missing: ['1_init', '2_more'] } },
      'error migrations are missing: 1_init, 2_more',
    ],
    ['a failed migration', { migrations: { ...none, failed: ['1_init'] } }, 'error migrations are unfinished: 1_init'],
    [
      'a migration that is too new',
      { migrations: { ...none, tooNew: ['9_new'] } },
      'error migrations do not serve this release: 9_new',
    ],
    ['a session in another time zone', { driversAgree: false }, 'error the two drivers disagree on a timestamp'],
  ])('finds %s', (_, over, finding) => {
    expect(check(over)).toEqual([finding]);
  });

  it('reports a halt, and a database that does not answer', () => {
    const halt = { chainId: 1, since: new Date(0), reason: 'deep reorg' };
    expect(check({}, { chains: [halt] })).toEqual([
      'error chain 1 has been halted since 1970-01-01T00:00:00.000Z: deep reorg',
    ]);
    expect(check({}, { deliveries: { since: new Date(0), reason: 'a theft' } })).toEqual([
      'error deliveries have been halted since 1970-01-01T00:00:00.000Z: a theft',
    ]);
    expect(check({}, { reconcile: 'the wallet has nonces that the database lacks' })).toEqual([
      'error the wallet has nonces that the database lacks',
    ]);
    expect(checkDatabase({ ok: false, reason: 'ECONNREFUSED' }, null)).toEqual([
      expect.objectContaining({ severity: 'error', finding: 'PostgreSQL does not answer (ECONNREFUSED)' }),
    ]);
  });
});
