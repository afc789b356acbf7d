import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

// Runs `chaos` as a person does, from the root, with few kills. The nightly workflow runs 300 of them.

const run = promisify(execFile);
const KILLS = 8;
/** The nightly workflow draws another one each time. */
const SEED = process.env['TEST_SEED'] ?? '5';
const TIMEOUT_MS = 600_000;
const root = fileURLToPath(new URL('../../', import.meta.url));
const chaos = (...words: readonly string[]) =>
  run(process.execPath, ['e2e/chaos/main.ts', ...words], { cwd: root, timeout: TIMEOUT_MS });

it(
  `loses and doubles nothing in ${KILLS} kills, and the passive relayer takes over each time`,
  async () => {
    const { stdout } = await chaos('--kills', `${KILLS}`, '--seed', SEED).catch((error: { stdout: string }) => {
      // The output has the seed, the timeline and the problems.
      throw new Error(error.stdout, { cause: error });
    });
    expect(stdout).toContain(`kill ${KILLS}/${KILLS}: `);
    expect(stdout).toContain('done: nothing lost, nothing doubled');
  },
  TIMEOUT_MS,
);

it('refuses wrong flags before it starts anything', async () => {
  const refused = chaos('--kills', '0');
  await expect(refused).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('from 1 to') });
});

it('takes the commands of its page', async () => {
  const page = readFileSync(`${root}docs/chaos.md`, 'utf8');
  const commands = [...page.matchAll(/```sh\nnpx pnpm@12.21.0 chaos (.*)\n```/g)].map(([, flags = '']) => flags);
  expect(commands).toHaveLength(2);
  for (const flags of commands) await expect(chaos(...flags.split(' '), '--help')).resolves.toBeDefined();
});
