import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, copyFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { migrate, type Migration } from '@causeway/store/schema';
import { runCommand } from '../processes/child-process.js';
import { waitUntil } from '@causeway/test-kit/test-run';
import type { Supervisor } from '../processes/supervisor.js';
import { findProgram } from './debian-programs.js';
import { findUser, makeFolder, type ServiceUser } from './service-user.js';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const ADMIN = require.resolve('@causeway/admin-cli/main');
/** The bridge's database, and the superuser of the cluster. */
const DATABASE = 'causeway';
const SUPERUSER = 'postgres';
const ROLES = ['migrate', 'roles'];
const APPLY = ['migrate', 'apply'];
const CERTIFICATE_DAYS = 90;

/** A PostgreSQL server of Debian's package that accepts network clients only with TLS. */
export interface DatabaseServer {
  readonly port: number;
  /** Certificate of the authority that signed the server's certificate. */
  readonly authorityFile: string;
  /** URL of the superuser, who connects over the Unix socket. */
  readonly superuserUrl: string;
  /** Gives the server a new certificate, valid for a number of days. New connections see it. */
  readonly renewCertificate: (days: number) => Promise<void>;
}

/** Creates a cluster and starts it. */
export async function startDatabase(processes: Supervisor, directory: string, port: number): Promise<DatabaseServer> {
  const user = findUser('postgres');
  const folder = makeFolder(join(directory, 'postgres'), user);
  const data = join(folder, 'data');
  const programs = dirname(findProgram('postgresql'));
  const asUser = { uid: user.uid, gid: user.gid, cwd: folder };
  const flags = ['--username', SUPERUSER, '--auth-local', 'peer', '--auth-host', 'scram-sha-256', '--no-sync'];
  await run(join(programs, 'initdb'), ['-D', data, '--encoding', 'UTF8', '--locale', 'C.UTF-8', ...flags], asUser);
  const authorityFile = await makeAuthority(directory);
  await signCertificate(directory, data, user, CERTIFICATE_DAYS);
  // Network clients need TLS and a password. The superuser connects over the socket, by the system user.
  const access = ['local all postgres peer map=root', 'hostssl all all 127.0.0.1/32 scram-sha-256'];
  writeFileSync(join(data, 'pg_hba.conf'), `${access.join('\n')}\n`);
  writeFileSync(join(data, 'pg_ident.conf'), [user.name, 'root'].map((name) => `root ${name} ${SUPERUSER}\n`).join(''));
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    ssl: 'on',
    max_connections: 200,
    // Measures the time from the commit that makes an operation due to its delivery.
    track_commit_timestamp: 'on',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  processes.start({ name: 'postgres', module: findProgram('postgresql'), args: ['-D', data, ...args], env: {}, user });
  const connection = ['--host', folder, '--port', `${port}`, '--username', SUPERUSER];
  await waitUntil(
    'PostgreSQL answers',
    async () => (await run(join(programs, 'pg_isready'), connection)).stdout !== '',
  );
  await run(join(programs, 'createdb'), [...connection, DATABASE], asUser);
  const host = encodeURIComponent(folder);
  const superuserUrl = `postgresql://${SUPERUSER}@localhost/${DATABASE}?host=${host}&port=${port}`;
  return {
    port,
    authorityFile,
    superuserUrl,
    renewCertificate: async (days) => {
      await signCertificate(directory, data, user, days);
      await run(join(programs, 'psql'), ['-c', 'SELECT pg_reload_conf()', superuserUrl]);
    },
  };
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Creates a certificate authority for this run and returns its certificate. Only root can read its key. */
async function makeAuthority(directory: string): Promise<string> {
  const { key, certificate } = authorityFiles(directory);
  const files = ['-keyout', key, '-out', certificate];
  await run('openssl', ['req', '-x509', ...NEW_KEY, '-days', '365', '-subj', '/CN=database authority', ...files]);
  const shared = join(directory, 'database-authority.pem');
  copyFileSync(certificate, shared);
  chmodSync(shared, 0o444);
  return shared;
}

/** Creates a certificate for 127.0.0.1, signed by the authority. */
async function signCertificate(directory: string, data: string, user: ServiceUser, days: number): Promise<void> {
  const authority = authorityFiles(directory);
  const server = { key: join(data, 'server.key'), certificate: join(data, 'server.crt') };
  const signed = ['-CA', authority.certificate, '-CAkey', authority.key, '-addext', 'basicConstraints=CA:FALSE'];
  const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', server.key, '-out', server.certificate];
  await run('openssl', ['req', '-x509', ...NEW_KEY, '-days', `${days}`, ...signed, ...name, ...files]);
  for (const path of Object.values(server)) chownSync(path, user.uid, user.gid);
  chmodSync(server.key, 0o600);
}

const authorityFiles = (directory: string) => ({
  key: join(directory, 'authority.key'),
  certificate: join(directory, 'authority.pem'),
});

/** Passwords of the bridge's logins, by role. */
export type Passwords = Readonly<Record<'owner' | 'relayer' | 'api' | 'readonly', string>>;

/**
 * Creates roles and tables with an operator's commands.
 *
 * @param migrations migrations of another release, applied before the roles are created.
 */
export async function prepareDatabase(
  { superuserUrl }: DatabaseServer,
  migrations?: readonly Migration[],
): Promise<Passwords> {
  const makePassword = () => randomBytes(24).toString('hex');
  const passwords = { owner: makePassword(), relayer: makePassword(), api: makePassword(), readonly: makePassword() };
  const variables = Object.entries(passwords).map(([role, password]) => [`${role.toUpperCase()}_PASSWORD`, password]);
  if (migrations !== undefined) await migrate(superuserUrl, { migrations });
  for (const words of migrations === undefined ? [ROLES, APPLY] : [ROLES]) {
    const env = { PATH: process.env['PATH'] ?? '', DATABASE_URL: superuserUrl, ...Object.fromEntries(variables) };
    const { code, output } = await runCommand(ADMIN, words, env);
    if (code !== 0) throw new Error(`causeway-admin ${words.join(' ')} ended with ${code}: ${output}`);
  }
  return passwords;
}
