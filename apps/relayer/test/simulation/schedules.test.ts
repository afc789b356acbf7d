import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { isLong, seed } from '@causeway/test-kit';
import { PLANTS } from '../../simulation/plants.ts';
import { plantChanges } from '../../simulation/substitutions.ts';
import { RELAYER_PLANTS, VERIFIER_PLANTS } from '../../simulation/verdict-plants.ts';

// Runs the simulation's command like a contributor. Needs this package's `dist`.

const run = promisify(execFile);
const FOLDER = fileURLToPath(new URL('../..', import.meta.url));
/** The invariants that compare the relayer with the verifier. */
const VERDICTS =
  /FAILED: (the verifier agrees|each payment is of an operation|both have the same terms|nothing is owed at the end)/;
/** The schedules of a run, and the minimum of the verifier's judgements in them. A schedule has about 88. */
const { schedules, judgements } = isLong
  ? { schedules: 1_250, judgements: 100_000 }
  : { schedules: 5, judgements: 300 };

/** At night all planted bugs; in other runs one, chosen by the seed. */
function pick(plants: readonly string[]): readonly string[] {
  const first = seed() % plants.length;
  return isLong ? plants : plants.slice(first, first + 1);
}

/** Returns the command's output. It exits with 1 when an invariant is violated. */
async function simulate(...parameters: readonly string[]): Promise<string> {
  const options = { cwd: FOLDER, maxBuffer: 64 * 2 ** 20, env: { ...process.env, NODE_OPTIONS: '' } };
  try {
    return (await run(process.execPath, ['simulation/main.ts', ...parameters], options)).stdout;
  } catch (error) {
    const { code, stdout } = error as { readonly code?: unknown; readonly stdout?: string };
    if (code === 1 && stdout !== undefined) return stdout;
    throw error;
  }
}

describe('the simulation', () => {
  it('finds no failure', async () => {
    const printed = await simulate('--schedules', `${schedules}`);
    expect(printed).toContain(`${schedules} schedules from seed 0, 0 failures`);
    expect(Number(/(\d+) judgements/.exec(printed)?.[1])).toBeGreaterThanOrEqual(judgements);
  }, 14_400_000);

  it('prints the same story twice, also for the last seed', async () => {
    const story = async () => (await simulate('--seed', '4294967295', '--story')).replace(/, [\d.]+ a second/, '');
    expect(await story()).toBe(await story());
  }, 60_000);

  it('finds a planted bug, shrinks the schedule and prints how to replay it', async () => {
    const found = await simulate('--schedules', '50', '--plant', 'broadcast before journal');
    expect(found).toContain('FAILED: journal before broadcast');
    const [, failing = '', only = ''] = /--seed (\d+) --only ([\d,]*)/.exec(found) ?? [];
    const replayed = await simulate('--seed', failing, '--only', only, '--plant', 'broadcast before journal');
    expect(replayed).toContain('FAILED: journal before broadcast');
    expect(await simulate('--seed', failing, '--only', only)).toContain('0 failures');
  }, 240_000);

  it('runs the commands of its page', async () => {
    const page = readFileSync(new URL('../../../../docs/contribute/testing.md', import.meta.url), 'utf8');
    const commands = [...page.matchAll(/^npx pnpm@12\.21\.0 simulate (.*)$/gm)].map(([, options = '']) => options);
    expect(commands).toHaveLength(4);
    // The first command is the first test. The others repeat, among others, every past failure.
    for (const options of commands.slice(1)) {
      const words = [...options.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      expect(await simulate(...words)).toContain(words.includes('--plant') ? 'FAILED' : '0 failures');
    }
  }, 240_000);

  it('rejects invalid options', async () => {
    const refused = (...parameters: string[]) => expect(simulate(...parameters)).resolves.toBe('');
    await refused('--seed', 'one');
    await refused('--seed', '4294967296');
    await refused('--seed', '4294967295', '--schedules', '2');
    await refused('--sed', '1');
    await refused('--plant', 'no such bug');
    await refused('--schedules', '2', '--story');
  }, 60_000);
});

describe('a planted bug', () => {
  it('matches the source', () => {
    for (const { changes } of Object.values({ ...PLANTS, ...VERIFIER_PLANTS, ...RELAYER_PLANTS }))
      for (const { file } of changes) expect(() => plantChanges(file, changes)).not.toThrow();
  });

  it('that does not match the source is an error that names it', () => {
    const change = { file: 'packages/store/src/locks/lease.ts', from: 'no such text', to: '' };
    expect(() => plantChanges(change.file, [change])).toThrow(
      'packages/store/src/locks/lease.ts has 0 places like "no such text" instead of one: correct the planted bug',
    );
  });

  it.each(pick(Object.keys(PLANTS)))(
    'shows in its schedule: %s',
    async (plant) => {
      expect(await simulate('--plant', plant)).toContain('FAILED');
    },
    120_000,
  );
});

describe('a bug of the verifier or of the payments', () => {
  const all = [VERIFIER_PLANTS, RELAYER_PLANTS].map((plants) => Object.keys(plants));

  it('exists at least 25 times for each', () => {
    for (const names of all) expect(names.length).toBeGreaterThanOrEqual(25);
  });

  it.each(all.flatMap(pick))(
    'shows in the verdicts: %s',
    async (plant) => {
      expect(await simulate('--plant', plant)).toMatch(VERDICTS);
    },
    240_000,
  );
});

(isLong ? describe : describe.skip)('a search', () => {
  it.each(Object.keys(PLANTS))(
    'finds a planted bug: %s',
    async (plant) => {
      expect(await simulate('--schedules', '5000', '--plant', plant)).toContain('FAILED');
    },
    1_800_000,
  );
});
