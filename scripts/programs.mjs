import './check-node.mjs';
import fs from 'node:fs';
import { delimiter, join } from 'node:path';
import { SERVICE_PROGRAMS } from '../tools/testbed/src/services/debian-programs.ts';
import { findBrowser } from './browser.mjs';

// Usage: node scripts/programs.mjs [--long]. Prints the Debian packages of programs that `test:all`, or `test:long`,
// needs and does not find.

/** System programs that tests start, by Debian package. */
const PROGRAMS = {
  curl: 'curl',
  'docker-compose': 'docker-compose',
  haproxy: '/usr/sbin/haproxy',
  prometheus: 'promtool',
  'prometheus-alertmanager': 'amtool',
  python3: 'python3',
  'redis-server': 'redis-server',
  systemd: 'systemd-analyze',
};
/** Programs that only nightly tests start. */
const NIGHTLY = { git: 'git', ...SERVICE_PROGRAMS };

/** Lists the Debian packages of missing programs. */
export function listMissing(isLong) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const isThere = (name) => {
    if (name.includes('*')) return fs.globSync(name).length > 0;
    return name.startsWith('/') ? fs.existsSync(name) : folders.some((folder) => fs.existsSync(join(folder, name)));
  };
  const programs = isLong ? { ...PROGRAMS, ...NIGHTLY } : PROGRAMS;
  const missing = Object.keys(programs).filter((name) => !isThere(programs[name]));
  return findBrowser() === undefined ? ['chromium', ...missing] : missing;
}

if (process.argv[1] === import.meta.filename) console.log(listMissing(process.argv[2] === '--long').join(' '));
