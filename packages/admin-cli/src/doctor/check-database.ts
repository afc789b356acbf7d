import {
  CLOCK_TOLERANCE_MS,
  CLOCK_WARNING_MS,
  migrationProblems,
  OLDEST_POSTGRES,
  readMigrationStatus,
  readServer,
  ROLES,
  type MigrationStatus,
  type ServerFacts,
} from '@causeway/store/schema';
import { postgresUrl, readVariables } from '@causeway/service/configuration';
import { describeProblem, error, judgeConfiguration, notYet, ok, warning } from '@causeway/service/doctor';
import { z } from 'zod';
import type { Finding } from './finding.js';
import type { Walk } from './walk.js';

/** Hosts on this machine, where no network carries the password. */
const THIS_MACHINE = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?|)$/i;

const databaseVariables = z.object({
  DATABASE_URL: postgresUrl.optional().meta({ description: 'Database of the bridge.', isSecret: true }),
});

/** Checks the database: server, clock, TLS, roles, migrations, and whether a transfer has arrived. */
export async function checkDatabase({ options, now }: Walk): Promise<readonly Finding[]> {
  let databaseUrl: string | undefined;
  try {
    ({ DATABASE_URL: databaseUrl } = readVariables(databaseVariables, options.variables));
  } catch (problem) {
    return [...judgeConfiguration('database', problem, 'correct it'), transferNotYet()];
  }
  if (databaseUrl === undefined) {
    const nextStep = 'create it, and set DATABASE_URL, or DATABASE_URL_FILE to a file with it';
    return [notYet('database', 'none is configured', nextStep), transferNotYet()];
  }
  try {
    const server = await readServer(databaseUrl, now);
    const status = await readMigrationStatus(databaseUrl);
    const isRemote = !THIS_MACHINE.test(new URL(databaseUrl).hostname);
    const findings = [...judgeServer(server, isRemote), ...judgeRoles(server), ...judgeMigrations(status)];
    return [...findings, judgeTransfers(server)];
  } catch (problem) {
    const finding = `it does not answer: ${describeProblem(problem)}`;
    return [error('database', finding, 'start it, or correct DATABASE_URL'), transferNotYet()];
  }
}

/** Judges the server and the connection to it. */
function judgeServer(server: ServerFacts, isRemote: boolean): readonly Finding[] {
  const { version, isReplica, isEncrypted, clockDifferenceMs } = server;
  const findings: Finding[] = [];
  if (version < OLDEST_POSTGRES)
    findings.push(error('database', `PostgreSQL ${version} is too old`, `upgrade it to ${OLDEST_POSTGRES} or newer`));
  if (isReplica) findings.push(error('database', 'it is a replica', 'set DATABASE_URL to the primary'));
  if (isRemote && !isEncrypted) {
    const nextStep = 'add sslmode=verify-full and sslrootcert to DATABASE_URL';
    findings.push(error('database', 'the connection is not encrypted', nextStep));
  }
  const clock = `its clock and this machine's differ by ${Math.round(clockDifferenceMs)} ms`;
  if (clockDifferenceMs > CLOCK_TOLERANCE_MS) findings.push(error('database', clock, 'set both clocks (NTP)'));
  else if (clockDifferenceMs > CLOCK_WARNING_MS) findings.push(warning('database', clock, 'set both clocks (NTP)'));
  const tls = isEncrypted ? 'encrypted' : 'on this machine';
  return findings.length > 0 ? findings : [ok('database', `PostgreSQL ${version}, ${tls}, its clock agrees`)];
}

/** Judges the logins. A service that connects as a superuser has no limits. */
function judgeRoles({ roles, login, isSuperuser, wrongGrants }: ServerFacts): readonly Finding[] {
  const missing = ROLES.filter((role) => !roles.includes(role));
  if (missing.length > 0) {
    return [notYet('database', `missing roles: ${missing.join(', ')}`, 'causeway-admin migrate roles')];
  }
  if (wrongGrants.length > 0) {
    const finding = `roles have wrong rights: ${wrongGrants.join(', ')}`;
    return [error('database', finding, 'causeway-admin migrate roles')];
  }
  const there = ok('database', `the roles have their rights; connected as ${login}`);
  if (!isSuperuser) return [there];
  return [
    there,
    warning('database', `${login} is a superuser`, 'let services connect as causeway_relayer and causeway_api'),
  ];
}

/** Judges the tables. */
function judgeMigrations(status: Omit<MigrationStatus, 'serves'>): readonly Finding[] {
  const { pending } = status;
  const findings: Finding[] = migrationProblems(status).map(({ finding, action }) =>
    error('database', finding, action),
  );
  if (pending.length > 0) {
    findings.push(notYet('database', `pending migrations: ${pending.length}`, 'causeway-admin migrate apply'));
  }
  return findings.length > 0 ? findings : [ok('database', 'every migration is applied')];
}

function judgeTransfers({ completed }: ServerFacts): Finding {
  return completed === null || completed === 0 ? transferNotYet() : ok('transfer', 'transfers have arrived');
}

const transferNotYet = () =>
  notYet('transfer', 'none has arrived', 'send the smallest amount each way: docs/operate/setup.md#first-transfer');
