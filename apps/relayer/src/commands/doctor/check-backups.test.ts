import { describe, expect, it } from '@jest/globals';
import { checkBackups } from './check-backups.js';

const check = (restorableSeconds: number | null, archivedSeconds: number | null) =>
  checkBackups({ restorableSeconds, claimedSeconds: 1, archivedSeconds }).map(
    ({ severity, finding }) => `${severity} ${finding}`,
  );

describe('checkBackups', () => {
  it('says the age of the newest restorable backup and of the archive', () => {
    expect(check(18_000, 40)).toEqual(['ok the newest restorable backup is 5 h old', 'ok WAL was archived 40 s ago']);
    expect(check(260_000, 600)).toEqual([
      'warning the newest restorable backup is 3 days old',
      'warning WAL was archived 10 min ago',
    ]);
  });

  it('warns without a checked backup or an archive', () => {
    expect(check(null, null)).toEqual([
      'warning no backup was ever restored and checked',
      'warning the server archives no WAL (archive_mode is off)',
    ]);
  });
});
