import { ALERTS } from '@causeway/protocol/admin';
import { ok, warning } from '@causeway/service/doctor';
import type { BackupFigures } from '@causeway/store';
import type { Finding } from './finding.js';

const DAY_SECONDS = 86_400;
const PAGE = 'docs/operate/backup.md';

/** Judges the age of the newest restorable backup and of the WAL archive, with the thresholds of the alerts. */
export function checkBackups({ restorableSeconds, archivedSeconds }: BackupFigures): readonly Finding[] {
  return [judgeBackup(restorableSeconds), judgeArchive(archivedSeconds)];
}

function judgeBackup(seconds: number | null): Finding {
  if (seconds === null) return warning('database', 'no backup was ever restored and checked', `read ${PAGE}`);
  const finding = `the newest restorable backup is ${describeAge(seconds)} old`;
  return seconds > ALERTS.BackupOld.threshold.days * DAY_SECONDS
    ? warning('database', finding, 'read "BackupOld" in docs/runbook.md')
    : ok('database', finding);
}

function judgeArchive(seconds: number | null): Finding {
  if (seconds === null) return warning('database', 'the server archives no WAL (archive_mode is off)', `read ${PAGE}`);
  const finding = `WAL was archived ${describeAge(seconds)} ago`;
  return seconds > ALERTS.WalArchiveStuck.threshold.seconds
    ? warning('database', finding, 'read "WalArchiveStuck" in docs/runbook.md')
    : ok('database', finding);
}

function describeAge(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 2 * DAY_SECONDS ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / DAY_SECONDS)} days`;
}
