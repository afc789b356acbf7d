import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);
const home = createRequire(require.resolve('@foundry-rs/cast/package.json'));
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
const folder = dirname(home.resolve(`@foundry-rs/cast-${process.platform}-${architecture}/package.json`));

/** The binary of cast, from the package @foundry-rs/cast. */
export const CAST = join(folder, 'bin', process.platform === 'win32' ? 'cast.exe' : 'cast');

/**
 * Runs cast and returns its output.
 *
 * @throws Error with its complaint.
 */
export async function runCast(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(CAST, args, { timeout: 60_000 });
  return stdout.trim();
}
