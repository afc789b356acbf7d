import {
  getNumber,
  migrationProblems,
  type ConnectedProgram,
  type DatabaseUse,
  type Migration,
  type MigrationStatus,
  type ProgramLabel,
} from '@causeway/store/schema';
import { error, ok, warning, type Finding } from '@causeway/service/doctor';

/** The subjects of the report, in order. */
export const SUBJECTS = ['migrations', 'programs', 'rollback', 'relayers', 'health'] as const;
/** A line of the report. */
export type UpgradeFinding = Finding<(typeof SUBJECTS)[number]>;

/** Judges whether a schema can move to this release's migrations, and back, while the programs run. */
export function judgeUpgrade(status: MigrationStatus, use: DatabaseUse): readonly UpgradeFinding[] {
  const broken = judgeTables(status);
  if (broken.length > 0) return broken;
  return [...judgeMigrations(status), ...judgePrograms(status, use.programs), judgeWayBack(status), judgeRelayers(use)];
}

/** The problems of tables that this release cannot use or migrate. */
export function judgeTables(status: MigrationStatus): readonly UpgradeFinding[] {
  return migrationProblems(status).map(({ finding, action }) => error('migrations', finding, action));
}

function judgeMigrations(status: MigrationStatus): readonly UpgradeFinding[] {
  const { applied, pending } = status;
  if (pending.length === 0)
    return [ok('migrations', `none is pending; ${applied.length} applied, the newest ${applied.at(-1) ?? 'none'}`)];
  return pending.map((migration) => {
    const { name, oldestProgram } = migration;
    const words = `${name}: serves programs from ${oldestProgram ?? name}`;
    return isContracting(status, migration)
      ? warning(
          'migrations',
          `${words}; contracts`,
          'causeway-admin migrate apply --contract, once older programs have stopped',
        )
      : ok('migrations', `${words}; expands`);
  });
}

/** Whether a migration stops serving the programs that came with the current schema. */
function isContracting({ serves }: MigrationStatus, { name, oldestProgram }: Migration): boolean {
  return serves !== null && getNumber(oldestProgram ?? name) > getNumber(serves.to);
}

function judgePrograms(status: MigrationStatus, programs: readonly ConnectedProgram[]): readonly UpgradeFinding[] {
  if (programs.length === 0) return [ok('programs', 'none is connected')];
  return programs.map(({ label, text, user, sessions }) => {
    const many = `${sessions} sessions of ${user}`;
    if (label === null) {
      const finding = `unknown${text === '' ? '' : ` (${text})`}: ${many}`;
      return warning('programs', finding, 'it does not report its release: compare its newest migration by hand');
    }
    const program = describeProgram(label);
    const end = findEnd(status, label);
    return end === undefined
      ? ok('programs', `${program}: ${many}; keeps running`)
      : warning(
          'programs',
          `${program}: ${many}; not served after ${end.name}`,
          'stop it before that migration is applied',
        );
  });
}

/** The pending migration that does not serve a program. */
function findEnd({ pending }: MigrationStatus, { migration }: ProgramLabel): Migration | undefined {
  return pending.find(({ name, oldestProgram }) => getNumber(oldestProgram ?? name) > migration);
}

function describeProgram({ service, version, migration, name }: ProgramLabel): string {
  return `${name ?? service} ${version}, which ships ${migration}`;
}

function judgeWayBack(status: MigrationStatus): UpgradeFinding {
  const { serves, pending } = status;
  if (serves === null) return ok('rollback', 'the database is empty, so there is nothing to return to');
  const contracting = pending.filter((migration) => isContracting(status, migration)).map(({ name }) => name);
  if (contracting.length === 0)
    return ok(
      'rollback',
      `programs that ship ${serves.to} can be started again at any time, on this schema and the next`,
    );
  const finding = `after ${contracting.join(', ')}, programs that ship ${serves.to} cannot be started again`;
  return warning('rollback', finding, 'make a backup, and apply it only after the newer programs have run for a while');
}

function judgeRelayers({ programs, leaseHolder }: DatabaseUse): UpgradeFinding {
  const relayers = new Set(
    programs.flatMap(({ label }) => (label?.service === 'relayer' ? [label.name ?? label.service] : [])),
  );
  const names = [...relayers].join(', ');
  if (leaseHolder === null) {
    return warning(
      'relayers',
      `none is active${names === '' ? '' : ` of ${names}`}`,
      'start two, so that one takes over',
    );
  }
  if (relayers.size > 1) return ok('relayers', `${leaseHolder} is active, and one of ${names} can take over`);
  const finding = `${leaseHolder} is active, and no other relayer is connected`;
  return warning('relayers', finding, 'start a second one: otherwise deliveries wait while this one restarts');
}
