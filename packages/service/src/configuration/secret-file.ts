import { readFileSync, statSync } from 'node:fs';

/** Far above every secret; a larger file is another one by mistake. */
const LONGEST_BYTES = 65_536;
/** Permissions of the users who are neither the owner of a file nor in its group. */
const OTHERS = 0o007;

/**
 * Reads a file that holds a secret. Its group may read it, as the group of a Kubernetes volume does.
 *
 * @returns the content, or the rest of a sentence that begins with the path and says why it cannot be used.
 */
export function readSecretFile(path: string): { readonly content: string } | { readonly problem: string } {
  try {
    const file = statSync(path);
    if (!file.isFile()) return { problem: 'is not a file' };
    // Windows has no such permissions.
    if (process.platform !== 'win32' && (file.mode & OTHERS) !== 0)
      return { problem: `may be used by other users of this machine: chmod o= ${path}` };
    if (file.size > LONGEST_BYTES) return { problem: `has more than ${LONGEST_BYTES} bytes` };
    const content = readFileSync(path, 'utf8');
    return content.trim() === '' ? { problem: 'is empty' } : { content };
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    return { problem: `cannot be read (${code})` };
  }
}

/**
 * Finds the values of secrets that are in files: `NAME_FILE` is the path of a file with the value of `NAME`. One line
 * break at the end of the file does not count.
 *
 * @param names the variables that are secrets.
 * @param given the variables that are set.
 */
export function readSecrets(names: readonly string[], given: Readonly<Record<string, string | undefined>>) {
  const values: Record<string, string> = {};
  /** By variable. */
  const problems = new Map<string, string>();
  /** How problems name a variable whose value is in a file. */
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
