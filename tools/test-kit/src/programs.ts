import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Far above the duration of a failing start. */
const TIMEOUT_MS = 50_000;

/** How a program ended. */
export interface EndedProgram {
  /** Its exit code; null when a signal or the timeout ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ProgramOptions {
  /** How far the program's clock is ahead of this machine's. */
  readonly clockAheadMs?: number;
  /** Arguments of the program. */
  readonly words?: readonly string[];
}

/**
 * Returns Node.js arguments that move a program's clock ahead of this machine's.
 *
 * @param at the signal that moves the clock. Default: moved from the start.
 */
export function shiftClock(aheadMs: number, at?: NodeJS.Signals): readonly string[] {
  const begin = at === undefined ? `ahead = ${aheadMs}` : `process.once('${at}', () => { ahead = ${aheadMs}; })`;
  const code = `const now = Date.now; let ahead = 0; ${begin}; Date.now = () => now() + ahead;`;
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}

/** Runs a Node.js program until it ends, with only these environment variables. */
export async function runProgram(
  main: string,
  env: Readonly<Record<string, string>>,
  { clockAheadMs = 0, words = [] }: ProgramOptions = {},
): Promise<EndedProgram> {
  const imports = clockAheadMs === 0 ? [] : shiftClock(clockAheadMs);
  const args = ['--disable-warning=ExperimentalWarning', ...imports, main, ...words];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env: { ...env }, timeout: TIMEOUT_MS }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

/**
 * Creates secret files that every program must refuse.
 *
 * @param folder where to create them.
 * @param secret a value that must not be printed.
 * @returns the fault of each file, its path, and the reason that the program must give.
 */
export function makeWrongSecrets(folder: string, secret: string): readonly (readonly [string, string, string])[] {
  const file = (name: string, content: string, mode: number) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };
  mkdirSync(join(folder, 'secret-folder'), { recursive: true });
  return [
    ['missing', join(folder, 'missing-secret'), 'cannot be read (ENOENT)'],
    ['empty', file('empty-secret', '\n', 0o600), 'is empty'],
    ['not a file', join(folder, 'secret-folder'), 'is not a file'],
    ['open to others', file('open-secret', secret, 0o644), 'is accessible to other users of this machine'],
  ];
}
