import { postgresUrl, readVariables } from '@causeway/service/configuration';
import {
  createRoles,
  migrate,
  readMigrationStatus,
  ROLES,
  type Migration,
  type MigrationStatus,
  type Passwords,
} from '@causeway/store/schema';
import { InvalidArgumentError, type Command } from 'commander';
import { z } from 'zod';

interface ApplyOptions {
  readonly lockTimeout: number;
  readonly contract: boolean;
}

const databaseVariables = z.object({
  DATABASE_URL: postgresUrl.meta({ description: 'Database of the bridge.', isSecret: true }),
});

const PASSWORD_RULE = 'must be printable ASCII without spaces, or a SCRAM verifier';
const password = (role: string) =>
  z
    .string(PASSWORD_RULE)
    .regex(/^[\x21-\x7e]+$/, PASSWORD_RULE)
    .optional()
    .meta({ description: `Password of ${role}.`, isSecret: true });

const rolesVariables = databaseVariables.extend({
  OWNER_PASSWORD: password('causeway_owner'),
  RELAYER_PASSWORD: password('causeway_relayer'),
  API_PASSWORD: password('causeway_api'),
  READONLY_PASSWORD: password('causeway_readonly'),
  BACKUP_PASSWORD: password('causeway_backup'),
});

const HELP = `
Needs DATABASE_URL, or DATABASE_URL_FILE: a file with it.`;

const ROLES_HELP = `
Needs the DATABASE_URL of a superuser, or of the database's owner with CREATEROLE. The files OWNER_PASSWORD_FILE,
RELAYER_PASSWORD_FILE, API_PASSWORD_FILE, READONLY_PASSWORD_FILE and BACKUP_PASSWORD_FILE contain passwords or SCRAM
verifiers. A role without a file keeps its password; a new role without a file has none.

Exit codes:
  0   the roles have their rights
  1   nothing was changed; the message says why
  78  the configuration is wrong`;

const STATUS_HELP = `
Exit codes:
  0   every migration of this version is applied
  1   the database did not answer
  2   migrations are pending
  78  the tables do not fit this version, or the configuration is wrong`;

const APPLY_HELP = `
Exit codes:
  0   every migration of this version is applied
  1   a migration was not applied and changed nothing; the message says why
  78  the configuration is wrong`;

/** Adds the commands of the database's schema. */
export function addMigrateCommands(program: Command): void {
  const group = program.command('migrate').description('shows and applies the migrations of the database');
  group
    .command('status')
    .description('shows which migrations are applied and pending, and which programs the schema serves')
    .addHelpText('after', HELP + STATUS_HELP)
    .action(showStatus);
  group
    .command('apply')
    .description('applies the pending migrations, each in one transaction; one command at a time')
    .option('--lock-timeout <ms>', 'how long a migration waits for a lock, in milliseconds', parseMilliseconds, 5_000)
    .option('--contract', 'also apply migrations that do not serve the running programs', false)
    .addHelpText('after', HELP + APPLY_HELP)
    .action(apply);
  group
    .command('roles')
    .description(
      'creates the logins of owner, relayer, API, readers and backups, and grants their rights; can be repeated',
    )
    .addHelpText('after', ROLES_HELP)
    .action(makeRoles);
}

async function makeRoles(): Promise<void> {
  const { DATABASE_URL, ...given } = readVariables(rolesVariables, process.env);
  const passwords: Passwords = {
    causeway_owner: given.OWNER_PASSWORD,
    causeway_relayer: given.RELAYER_PASSWORD,
    causeway_api: given.API_PASSWORD,
    causeway_readonly: given.READONLY_PASSWORD,
    causeway_backup: given.BACKUP_PASSWORD,
  };
  const { members, canBackUp } = await createRoles(DATABASE_URL, passwords);
  for (const role of ROLES) print(`${role}: ${passwords[role] === undefined ? 'password unchanged' : 'password set'}`);
  print('causeway_owner owns the tables. The other roles have the rights of this version.');
  if (!canBackUp) print('causeway_backup cannot make backups: only a superuser can allow it.');
  for (const member of members)
    print(`${member} can act as causeway_owner. Once no program uses it: REVOKE causeway_owner FROM ${member}`);
}

async function showStatus(): Promise<void> {
  const status = await readMigrationStatus(readDatabaseUrl());
  describeStatus(status).forEach(print);
  if (status.failed.length > 0 || status.changed.length > 0 || status.tooNew.length > 0) process.exitCode = 78;
  else if (status.pending.length > 0) process.exitCode = 2;
}

function describeStatus(status: MigrationStatus): string[] {
  const { applied, pending, failed, changed, tooNew, serves } = status;
  const lines = (state: string, names: readonly string[]) => names.map((name) => `${state.padEnd(8)} ${name}`);
  const range =
    serves === null
      ? 'The database is empty.'
      : `The schema serves programs from ${serves.from} to ${serves.to}, each named by its newest migration.`;
  return [
    ...lines('applied', applied),
    ...lines('failed', failed),
    ...pending.map((migration) => `pending  ${migration.name}${describeOldest(migration)}`),
    ...lines('changed', changed),
    ...lines('too new', tooNew),
    range,
  ];
}

async function apply({ lockTimeout, contract }: ApplyOptions): Promise<void> {
  const names = await migrate(readDatabaseUrl(), {
    lockTimeoutMs: lockTimeout,
    mayContract: contract,
    onApplied: (migration, durationMs) => print(`${migration.name}: ${durationMs} ms${describeOldest(migration)}`),
    onRoles: (has) =>
      print(has ? 'The roles have their rights.' : 'The roles do not exist: see causeway-admin migrate roles.'),
    onWait: (sentence) => process.stderr.write(`${sentence}\n`),
  });
  print(names.length === 0 ? 'No migration was pending.' : `Applied: ${names.length}.`);
}

function describeOldest({ oldestProgram }: Migration): string {
  return oldestProgram === null ? '' : `, serves programs from ${oldestProgram}`;
}

/** The database's URL, from DATABASE_URL or the file DATABASE_URL_FILE. */
export function readDatabaseUrl(): string {
  return readVariables(databaseVariables, process.env).DATABASE_URL;
}

function parseMilliseconds(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 9999999.');
  return Number(text);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
