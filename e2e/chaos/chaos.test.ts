import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

// Runs `chaos` from the root like a person, with the first kills of every run. The nightly workflow runs 300.

const run = promisify(execFile);
const FIRST = [
  'kill the leader while an origin waits',
  'kill the leader before it sends on the partner chain',
  'kill the leader after it sent on Ethereum',
  'kill the API',
  'kill the gateway',
];
const SEED = process.env['TEST_SEED'] ?? '5';
const TIMEOUT_MS = 600_000;
const root = fileURLToPath(new URL('../../', import.meta.url));
const chaos = (...words: readonly string[]) =>
  run(process.execPath, ['e2e/chaos/main.ts', ...words], { cwd: root, timeout: TIMEOUT_MS });

it(
  'loses and repeats no operation, and the passive relayer takes over each time',
  async () => {
    const flags = ['--kills', `${FIRST.length}`, '--seed', SEED, '--any-pace'];
    const { stdout } = await chaos(...flags).catch((error: { stdout: string }) => {
      // The output has the seed, the timeline and the problems.
      throw new Error(error.stdout, { cause: error });
    });
    for (const kill of FIRST) expect(stdout).toMatch(new RegExp(`kill \\d/5: ${kill}`));
    expect(stdout).toContain('done: nothing lost, nothing doubled');
  },
  TIMEOUT_MS,
);

it('refuses wrong flags before it starts a process', async () => {
  const refused = chaos('--kills', '0');
  await expect(refused).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('from 1 to') });
});

it('accepts the commands of its page', async () => {
  const page = readFileSync(`${root}docs/contribute/testing.md`, 'utf8');
  const commands = [...page.matchAll(/```sh\nnpx pnpm@12.21.0 chaos (.*)\n```/g)].map(([, flags = '']) => flags);
  expect(commands).toHaveLength(2);
  for (const flags of commands) await expect(chaos(...flags.split(' '), '--help')).resolves.toBeDefined();
});
