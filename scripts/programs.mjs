import './check-node.mjs';
import fs from 'node:fs';
import { delimiter, join } from 'node:path';
import { SERVICE_PROGRAMS } from '../tools/testbed/src/services/debian-programs.ts';
import { findBrowser } from './browser.mjs';

// Usage: node scripts/programs.mjs [--long]. Prints the packages of Debian whose programs `test:all`, or `test:long`,
// needs and does not find.

/** The programs that tests start beside ours, by their packages. */
const PROGRAMS = {
  curl: 'curl',
  'docker-compose': 'docker-compose',
  prometheus: 'promtool',
  python3: 'python3',
  'redis-server': 'redis-server',
  systemd: 'systemd-analyze',
};
/** Those that only tests of a night start. */
const NIGHTLY = { git: 'git', ...SERVICE_PROGRAMS };

/** The packages of Debian whose programs are missing. */
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
