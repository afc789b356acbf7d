import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './programs.mjs';

/** The Debian release. `--fresh` makes a new base with its security updates. */
const SUITE = 'bookworm';
const SOURCES = [
  `deb http://deb.debian.org/debian ${SUITE} main`,
  `deb http://deb.debian.org/debian ${SUITE}-updates main`,
  `deb http://deb.debian.org/debian-security ${SUITE}-security main`,
];
/** Node and native packages need the C and C++ libraries; scanners need the name of the release. */
const PACKAGES = ['base-files', 'libc6', 'libstdc++6'];
/** Programs, devices, the state of apt, documents, and encoding tables, which Node includes. */
const EXCLUDED = `
  /bin/* /sbin/* /usr/bin/* /usr/sbin/* /dev/* /boot /root /home /usr/lib/*/gconv* /var/local
  /etc/apt* /var/lib/apt* /var/cache/apt* /var/lib/dpkg/[!s]* /var/lib/dpkg/status
  /etc/fstab /etc/hostname /etc/update-motd.d*
  /usr/share/doc/* /usr/share/doc/mawk /usr/share/man* /usr/share/locale* /usr/share/lintian*
  /usr/share/base-files* /usr/share/gcc* /usr/share/gdb*
`.match(/\S+/g);
/** Keeps the licences of the packages. */
const INCLUDED = ['/usr/share/doc/*/copyright'];
const HOOK = join(import.meta.dirname, 'note-packages.sh');

/**
 * Makes the base of the images, a tar file without a shell, a package manager or other programs.
 *
 * @param folder Cache of bases: a base is reused while the list of packages stays the same.
 * @param options isFresh always makes a new base; epochSeconds is the time of its files.
 * @returns the path and the Debian packages of the base.
 */
export function makeBase(folder, { isFresh, epochSeconds }) {
  const recipe = JSON.stringify([SOURCES, PACKAGES, EXCLUDED, INCLUDED, readFileSync(HOOK, 'utf8')]);
  const path = join(folder, `${createHash('sha256').update(recipe).digest('hex').slice(0, 16)}.tar`);
  if (isFresh || !existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    const [whole, trimmed] = [`${path}.whole`, `${path}.trimmed`];
    const words = ['--quiet', '--variant=extract', '--format=tar', `--include=${PACKAGES.join(',')}`];
    run('mmdebstrap', [...words, `--extract-hook=sh '${HOOK}' "$1"`, SUITE, whole, ...SOURCES], {
      env: { ...process.env, SOURCE_DATE_EPOCH: `${epochSeconds}` },
    });
    const filters = [
      ...EXCLUDED.map((pattern) => `--path-exclude=${pattern}`),
      ...INCLUDED.map((pattern) => `--path-include=${pattern}`),
    ];
    run('mmtarfilter', filters, { stdio: [openSync(whole), openSync(trimmed, 'w'), 'pipe'] });
    rmSync(whole);
    renameSync(trimmed, path);
  }
  return { path, packages: readPackages(path) };
}

/** Reads the Debian packages of a base: name, version and architecture. */
function readPackages(path) {
  const text = run('tar', ['--extract', '--to-stdout', `--file=${path}`, '--wildcards', './var/lib/dpkg/status.d/*']);
  const fields = (name) => [...text.matchAll(new RegExp(`^${name}: (.+)$`, 'gm'))].map(([, value]) => value);
  const [versions, architectures] = [fields('Version'), fields('Architecture')];
  return fields('Package').map((name, index) => ({
    name,
    version: versions[index],
    architecture: architectures[index],
    suite: SUITE,
  }));
}
