import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The user under whom a process runs. */
export interface ServiceUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The bridge's services run under user ids without an entry in /etc/passwd. All images share one. */
const NUMBERS = { image: 10_001, api: 10_001, relayer: 10_002, gateway: 10_003, anvil: 10_004 } as const;
/** Users that Debian's packages create. */
const DEBIAN_USERS = ['postgres', 'redis', 'haproxy', 'prometheus'] as const;

export type UserName = keyof typeof NUMBERS | (typeof DEBIAN_USERS)[number];

/**
 * Finds the user of a process. Without root, the process runs as the current user.
 *
 * @throws Error when a user of Debian's packages is missing.
 */
export function findUser(name: UserName): ServiceUser {
  const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1];
  if (uid !== 0) return { name: 'you', uid, gid };
  if (isNumbered(name)) return { name: `${NUMBERS[name]}`, uid: NUMBERS[name], gid: NUMBERS[name] };
  return { name, uid: readId('-u', name), gid: readId('-g', name) };
}

function isNumbered(name: UserName): name is keyof typeof NUMBERS {
  return name in NUMBERS;
}

function readId(flag: '-u' | '-g', name: string): number {
  return Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
}

/** Creates a folder that only its user can enter. */
export function makeFolder(path: string, { uid, gid }: ServiceUser): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chownSync(path, uid, gid);
  return path;
}

/** Writes a file that only its user can read, and returns its path. */
export function writeOwned(folder: string, name: string, content: string, { uid, gid }: ServiceUser): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o400 });
  chownSync(path, uid, gid);
  return path;
}
