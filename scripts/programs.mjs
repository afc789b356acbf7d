import './check-node.mjs';
import fs from 'node:fs';
import { delimiter, join } from 'node:path';

// Usage: node scripts/programs.mjs. Prints the packages of Debian whose programs `test:all` needs and does not find.

/** The programs that tests start beside ours, by their packages. */
const PROGRAMS = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome'],
  'docker-compose': ['docker-compose'],
  git: ['git'],
  haproxy: ['haproxy', '/usr/sbin/haproxy'],
  openssl: ['openssl'],
  postgresql: ['/usr/lib/postgresql/*/bin/postgres'],
  prometheus: ['promtool'],
  'prometheus-alertmanager': ['prometheus-alertmanager'],
  python3: ['python3'],
  'redis-server': ['redis-server'],
  systemd: ['systemd-analyze'],
};

/** The packages of Debian whose programs are missing. */
export function listMissing() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const isThere = (name) => {
    if (name.includes('*')) return fs.globSync(name).length > 0;
    return name.startsWith('/') ? fs.existsSync(name) : folders.some((folder) => fs.existsSync(join(folder, name)));
  };
  return Object.keys(PROGRAMS).filter((name) => !PROGRAMS[name].some(isThere));
}

if (process.argv[1] === import.meta.filename) console.log(listMissing().join(' '));
