import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installCast } from '@causeway/test-kit';

/** Path of the cast executable. */
export const CAST = installCast();

/**
 * Runs cast and returns its output.
 *
 * @throws Error with cast's error output.
 */
export async function runCast(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(CAST, args, { timeout: 60_000 });
  return stdout.trim();
}
