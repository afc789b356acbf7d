import { readFileSync, statSync } from 'node:fs';

/** Far above the size of any secret. A larger file is the wrong one. */
const LONGEST_BYTES = 65_536;
/** Permission bits of users who are neither the owner nor in the group of a file. */
const OTHERS = 0o007;

/**
 * Reads a secret from a file. The group may have access, as with Kubernetes volumes.
 *
 * @returns the content, or a problem that completes a sentence beginning with the path.
 */
export function readSecretFile(path: string): { readonly content: string } | { readonly problem: string } {
  try {
    const file = statSync(path);
    if (!file.isFile()) return { problem: 'is not a file' };
    // Windows has no such permissions.
    if (process.platform !== 'win32' && (file.mode & OTHERS) !== 0)
      return { problem: `is accessible to other users of this machine: chmod o= ${path}` };
    if (file.size > LONGEST_BYTES) return { problem: `has more than ${LONGEST_BYTES} bytes` };
    const content = readFileSync(path, 'utf8');
    return content.trim() === '' ? { problem: 'is empty' } : { content };
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    return { problem: `cannot be read (${code})` };
  }
}

/**
 * Reads secrets from files: `NAME_FILE` is the path of a file with the value of `NAME`. One trailing line break is
 * ignored.
 *
 * @param names the variables that are secrets.
 * @param given the set variables.
 */
export function readSecrets(names: readonly string[], given: Readonly<Record<string, string | undefined>>) {
  const values: Record<string, string> = {};
  /** Problems by variable. */
  const problems = new Map<string, string>();
  /** Names of variables with their files, for problems. */
  const sources = new Map<string, string>();
  for (const name of names) {
    const path = given[`${name}_FILE`];
    if (path === undefined) continue;
    sources.set(name, `${name} (the content of ${path})`);
    const read = readSecretFile(path);
    if (given[name] !== undefined)
      problems.set(name, `${name} and ${name}_FILE (${path}) are both set: unset one of them`);
    else if ('problem' in read) problems.set(name, `${name}_FILE names ${path}, which ${read.problem}`);
    else values[name] = read.content.replace(/\r?\n$/, '');
  }
  return { values, problems, sources };
}
