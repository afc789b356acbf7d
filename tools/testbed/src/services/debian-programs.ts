import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

// `scripts/programs.mjs` reads this file before anything is built: it imports nothing of ours.

/** The programs of Debian that the services run beside, by the names of their packages. */
export const SERVICE_PROGRAMS = {
  postgresql: '/usr/lib/postgresql/*/bin/postgres',
  'redis-server': '/usr/bin/redis-server',
  haproxy: '/usr/sbin/haproxy',
  prometheus: '/usr/bin/prometheus',
  'prometheus-alertmanager': '/usr/bin/prometheus-alertmanager',
  openssl: '/usr/bin/openssl',
  'util-linux': '/usr/bin/setpriv',
} as const;

/** Packages whose servers start with the machine; their units have the same names. */
const SERVERS = new Set<string>(['postgresql', 'redis-server', 'haproxy', 'prometheus', 'prometheus-alertmanager']);
const SYSTEMCTL = '/usr/bin/systemctl';
/** The folder exists where systemd runs: sd_booted(3). */
const SYSTEMD = '/run/systemd/system';

export type DebianPackage = keyof typeof SERVICE_PROGRAMS;

/**
 * Installs the packages that are missing, as root. Their own servers neither run nor start with the machine.
 *
 * @throws Error with the command to run when they are missing and this process is not root.
 */
export async function ensurePrograms(onStep: (step: string) => void): Promise<void> {
  const missing = (Object.keys(SERVICE_PROGRAMS) as DebianPackage[]).filter((name) => locate(name) === undefined);
  if (missing.length === 0) return;
  const install = ['install', '--yes', '--quiet', '--no-install-recommends', ...missing];
  if (process.getuid?.() !== 0)
    throw new Error(`Programs of Debian are missing. Run: sudo apt-get update && sudo apt-get ${install.join(' ')}`);
  onStep(`installing ${missing.join(', ')} by apt-get`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '--quiet'], { env });
  await run('apt-get', install, { env });
  const absent = missing.filter((name) => locate(name) === undefined);
  if (absent.length > 0) throw new Error(`apt-get installed ${absent.join(', ')}, and the programs are not there`);
  const servers = missing.filter((name) => SERVERS.has(name));
  if (servers.length === 0 || !existsSync(SYSTEMCTL)) return;
  await run(SYSTEMCTL, ['disable', ...(existsSync(SYSTEMD) ? ['--now'] : []), ...servers]);
}

/** The path of the program that a package is needed for. */
export function findProgram(name: DebianPackage): string {
  const path = locate(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  return path;
}

function locate(name: DebianPackage): string | undefined {
  const pattern = SERVICE_PROGRAMS[name];
  // The newest version of PostgreSQL comes last.
  return pattern.includes('*') ? globSync(pattern).toSorted().at(-1) : [pattern].find((path) => existsSync(path));
}
