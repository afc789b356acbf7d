import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ledger } from '../ledger/ledger.js';
import type { VerifierSettings } from '../settings.js';
import { UsageError } from './exit-codes.js';
import type { Environment, Flags } from './setup.js';

/** The file that a run continues from: the option, or a default by the XDG Base Directory Specification. */
export function locateState({ state }: Flags, env: Environment, { ethereum }: VerifierSettings): string {
  const folder = env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return state ?? join(folder, 'causeway', `verify-${ethereum.chainId}-${ethereum.contract}.json`);
}

/**
 * Continues from a state file, or begins without one.
 *
 * @throws UsageError for a file of another bridge or of a newer version, and for an altered one.
 */
export async function loadState(file: string, settings: VerifierSettings): Promise<Ledger> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Ledger.begin(settings);
    throw new UsageError('state', `cannot be read: ${file}`);
  }
  try {
    return Ledger.resume(settings, JSON.parse(text) as unknown);
  } catch (error) {
    const problem = error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message;
    throw new UsageError('state', `cannot be continued: ${file}: ${problem}`, 'Begin again with --fresh.');
  }
}

/**
 * Replaces the state file atomically. Only this user can read it.
 *
 * @throws UsageError when it cannot be written.
 */
export async function saveState(file: string, state: unknown): Promise<void> {
  const text = JSON.stringify(state);
  // One name, so that interruptions leave at most one such file behind.
  const temporary = `${file}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(temporary, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new UsageError('state', `cannot be written: ${(error as Error).message}`);
  }
}
