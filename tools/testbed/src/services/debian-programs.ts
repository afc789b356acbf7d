import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

// Imports nothing of ours: `scripts/programs.mjs` reads this file before the build.

/** Programs that the services need, by Debian package. */
export const SERVICE_PROGRAMS = {
  postgresql: '/usr/lib/postgresql/*/bin/postgres',
  'redis-server': '/usr/bin/redis-server',
  haproxy: '/usr/sbin/haproxy',
  prometheus: '/usr/bin/prometheus',
  'prometheus-alertmanager': '/usr/bin/prometheus-alertmanager',
  openssl: '/usr/bin/openssl',
  'util-linux': '/usr/bin/setpriv',
} as const;

/** Packages whose servers start at boot; their units have the same names. */
const SERVERS = new Set<string>(['postgresql', 'redis-server', 'haproxy', 'prometheus', 'prometheus-alertmanager']);
const SYSTEMCTL = '/usr/bin/systemctl';
/** The folder exists where systemd runs: sd_booted(3). */
const SYSTEMD = '/run/systemd/system';

export type DebianPackage = keyof typeof SERVICE_PROGRAMS;

/**
 * Installs missing packages, as root, and disables the servers that they start.
 *
 * @throws Error with the command to run when packages are missing and this process is not root.
 */
export async function ensurePrograms(onStep: (step: string) => void): Promise<void> {
  const missing = (Object.keys(SERVICE_PROGRAMS) as DebianPackage[]).filter((name) => locate(name) === undefined);
  if (missing.length === 0) return;
  const install = ['install', '--yes', '--quiet', '--no-install-recommends', ...missing];
  if (process.getuid?.() !== 0)
    throw new Error(`Debian packages are missing. Run: sudo apt-get update && sudo apt-get ${install.join(' ')}`);
  onStep(`installing ${missing.join(', ')} with apt-get`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '--quiet'], { env });
  await run('apt-get', install, { env });
  const absent = missing.filter((name) => locate(name) === undefined);
  if (absent.length > 0) throw new Error(`apt-get installed ${absent.join(', ')}, but their programs are missing`);
  const servers = missing.filter((name) => SERVERS.has(name));
  if (servers.length === 0 || !existsSync(SYSTEMCTL)) return;
  await run(SYSTEMCTL, ['disable', ...(existsSync(SYSTEMD) ? ['--now'] : []), ...servers]);
}

/** Path of the program that a package is needed for. */
export function findProgram(name: DebianPackage): string {
  const path = locate(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  return path;
}

function locate(name: DebianPackage): string | undefined {
  const pattern = SERVICE_PROGRAMS[name];
  // The last path has the newest version of PostgreSQL.
  return pattern.includes('*') ? globSync(pattern).toSorted().at(-1) : [pattern].find((path) => existsSync(path));
}
