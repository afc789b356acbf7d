import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as turbo from './turbo.mjs';

/** A build without changes ends earlier. */
const NOTICE_MS = 1_500;

/**
 * Builds packages and their dependencies if they have changed, with a line on standard error for each.
 *
 * @param task of turbo: `build`, or `test:build` for the needs of their tests.
 * @returns false if the build failed, after printing its output.
 */
export async function build(task, packages) {
  const startedAtMs = Date.now();
  const elapsed = () => `${((Date.now() - startedAtMs) / 1000).toFixed(0)} s`;
  // Grouped output: the lines of a package appear once it has been built.
  const args = ['run', task, '--output-logs=full', '--log-order=grouped', '--log-prefix=task'];
  const child = spawn(process.execPath, [turbo.program, ...args, ...packages.map((each) => `--filter=${each}`)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: join(import.meta.dirname, '..'),
    env: { ...turbo.environment, FORCE_COLOR: '0' },
  });
  const notice = setTimeout(
    () => process.stderr.write('Building changed packages; the first build takes half a minute.\n'),
    NOTICE_MS,
  );
  const output = [];
  let built = 0;
  const read = (line) => {
    output.push(line);
    const [, name, step] = /^@causeway\/(\S+?):(build|compile): cache miss/.exec(line) ?? [];
    if (name === undefined) return;
    built += 1;
    process.stderr.write(`- ${name} ${step === 'build' ? 'built' : 'compiled'} after ${elapsed()}\n`);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', read);
  const [code] = await once(child, 'close');
  clearTimeout(notice);
  if (code !== 0) {
    process.stderr.write(`${output.join('\n')}\nThe build failed.\n`);
    return false;
  }
  if (built > 0) process.stderr.write(`Built in ${elapsed()}.\n`);
  return true;
}
