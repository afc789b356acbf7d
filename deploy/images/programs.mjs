import { spawn, spawnSync } from 'node:child_process';

/** A failure that the reader can fix, printed without a stack trace. */
export class ImageError extends Error {
  name = 'ImageError';
}

/** Fails with the packages to install if a program is missing. */
export function assertInstalled(programs) {
  const missing = programs.filter((program) => spawnSync(program, ['--version']).error !== undefined);
  if (missing.length === 0) return;
  throw new ImageError(
    `${missing.join(' and ')} must be installed; on Debian: apt-get install --no-install-recommends ${missing.join(' ')}`,
  );
}

/** Runs a program, and returns its standard output. */
export function run(program, words, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    ...options,
  });
  if (status === 0) return stdout;
  const output = [error?.message, stdout, stderr].filter(Boolean).join('\n').trim();
  throw new ImageError(`${[program, ...words].join(' ')} failed:\n${output}`);
}

/** Starts a program and streams its output. Fails if the program fails. */
export function stream(program, words) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  child.once('error', (error) => child.stdout.destroy(error));
  child.once('exit', (code) => {
    if (code !== 0) child.stdout.destroy(new ImageError(`${program} ${words.join(' ')} ended with ${code}`));
  });
  return child.stdout;
}
