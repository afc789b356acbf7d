import { databaseProblems, OLDEST_POSTGRES, type DatabaseState, type DeliveriesHalt, type Halt } from '@causeway/store';
import { error, ok, type Fact } from '@causeway/service/doctor';
import type { Finding } from './finding.js';

/** The halts in force. `deliveries`: null when they are not halted. `reconcile`: why relayers wait, or null. */
export interface Halts {
  readonly chains: readonly Halt[];
  readonly deliveries: DeliveriesHalt | null;
  readonly reconcile: string | null;
}

/**
 * Judges the database: its version, its migrations, its drivers, its halts, and whether relayers wait.
 *
 * @param halts null when they cannot be read.
 */
export function checkDatabase(database: Fact<DatabaseState>, halts: Halts | null): readonly Finding[] {
  if (!database.ok) {
    const finding = `PostgreSQL does not answer (${database.reason})`;
    return [error('database', finding, 'start it, or correct DATABASE_URL')];
  }
  const version = Math.floor(database.value.versionNumber / 10_000);
  const findings: Finding[] = [];
  if (version < OLDEST_POSTGRES)
    findings.push(error('database', `PostgreSQL ${version} is too old`, `upgrade it to ${OLDEST_POSTGRES} or newer`));
  for (const { finding, action } of databaseProblems(database.value)) findings.push(error('database', finding, action));
  for (const { chainId, since, reason } of halts?.chains ?? []) {
    const finding = `chain ${chainId} has been halted since ${since.toISOString()}: ${reason}`;
    findings.push(error('database', finding, 'read "Halted" in docs/runbook.md'));
  }
  const deliveries = halts?.deliveries ?? null;
  if (deliveries !== null) {
    const finding = `deliveries have been halted since ${deliveries.since.toISOString()}: ${deliveries.reason}`;
    findings.push(error('database', finding, 'read "UnknownDelivery" in docs/runbook.md'));
  }
  const reconcile = halts?.reconcile ?? null;
  if (reconcile !== null) findings.push(error('database', reconcile, 'read "ReconcileFirst" in docs/runbook.md'));
  return findings.length > 0
    ? findings
    : [ok('database', `PostgreSQL ${version}: every migration is applied, no halt`)];
}
