import { parseArgs } from 'node:util';
import type { Outcome } from './outcome.ts';
import { PLANTS } from './plants.ts';
import { REGRESSIONS } from './regressions.ts';
import { runMany, type Failure } from './run-many.ts';
import { shrink } from './shrink.ts';
import { MisplantedError, substituteModules } from './substitutions.ts';
import { findPlant, RELAYER_PLANTS, VERIFIER_PLANTS } from './verdict-plants.ts';
import { SEEDS } from './environment/random.ts';
import type { Schedule } from './environment/schedule.ts';

const HELP = `Usage: npx pnpm@12.21.0 simulate [options]

Runs the code of the relayer and the store on simulated chains, nodes and clocks, with its own PostgreSQL. A seed
decides everything that happens: crashes, lying nodes, reorgs, fee spikes, halts. Exits with 1 when an invariant is
violated, and prints the seed, the shortest schedule that still fails, and its story.

  --schedules N  number of schedules to run (default 1,000; 1 with --seed)
  --seed S       seed of the first schedule, up to 4294967295; the next seeds follow (default 0)
  --only I,J     run only these happenings of one schedule, as a failure prints them
  --plant BUG    plant a bug and run its own schedule; with --schedules or --seed, run others instead:
                 ${Object.keys({ ...PLANTS, ...VERIFIER_PLANTS, ...RELAYER_PLANTS }).join('\n                 ')}
  --story        print the story of one schedule, even if it does not fail
  --regressions  run only the schedules of past failures
`;

const values = readOptions();
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const seed = wholeNumber('seed', values.seed ?? '0', SEEDS - 1);
const asked = values.schedules ?? (values.seed === undefined ? '1000' : '1');
const count = wholeNumber('schedules', asked, SEEDS - seed);
const plant = values.plant ?? null;
const planted = plant === null ? undefined : findPlant(plant);
if (plant !== null && planted === undefined) fail(`There is no bug "${plant}": see --help for their names`);
if (count !== 1 && (values.only !== undefined || values.story)) fail('--only and --story need a single schedule');

// In this thread, so that a debugger can step through it.
const { planSchedule, runSchedule, database } = await load();

const written = writtenSchedules();
const startedAt = performance.now();
const { failure, done, judgements } =
  written !== null
    ? await runAll(written)
    : count === 1
      ? await runAll([onlySome(planSchedule(seed))])
      : await runMany({ seed, count, plant }, (line) => process.stderr.write(`${line}\n`));
const seconds = (performance.now() - startedAt) / 1_000;
if (failure === null) {
  const rate = (done / seconds).toFixed(1);
  print(`${done} schedules from seed ${seed}, 0 failures, ${judgements} judgements of the verifier, ${rate} a second`);
} else {
  await report(failure);
  print(`Found after ${done} schedules and ${seconds.toFixed(0)} s.`);
  process.exitCode = 1;
}
await database.close();

/** Loads the code, with the planted bug in it. */
async function load() {
  const assertPlanted = substituteModules(plant);
  try {
    const schedules = await import('./environment/schedule.ts');
    const loaded = { ...schedules, ...(await import('./run-schedule.ts')), database: await openDatabase() };
    assertPlanted();
    return loaded;
  } catch (error) {
    if (!(error instanceof MisplantedError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** The database of this thread. Workers create theirs on the same PostgreSQL. */
async function openDatabase() {
  const { startPostgres } = await import('@causeway/test-kit');
  const { SimulatedServer } = await import('./database/simulated-server.ts');
  const postgres = process.env['TEST_POSTGRES_URL'] === undefined ? await startPostgres() : null;
  if (postgres !== null) process.env['TEST_POSTGRES_URL'] = postgres.url;
  const server = await SimulatedServer.open();
  const close = async () => {
    await server.close();
    await postgres?.stop();
  };
  return { server, close };
}

/** The written schedules that the options select; null for planned ones. */
function writtenSchedules(): readonly Schedule[] | null {
  if (values.regressions) return REGRESSIONS.map(({ schedule }) => schedule);
  const isSearch = values.seed !== undefined || values.schedules !== undefined;
  return planted === undefined || isSearch ? null : [planted.schedule];
}

async function runAll(schedules: readonly Schedule[]) {
  let judged = 0;
  for (const [index, schedule] of schedules.entries()) {
    const outcome: Outcome = await runSchedule(schedule, database.server);
    judged += outcome.judgements;
    if (values.story) print(outcome.story.join('\n'));
    if (outcome.violation !== null) return { failure: outcome, done: index + 1, judgements: judged };
  }
  return { failure: null, done: schedules.length, judgements: judged };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a failure: its seed, the shortest schedule that fails in the same way, and its story. */
async function report(found: Failure): Promise<void> {
  const { invariant } = found.violation ?? {};
  const runAgain = (schedule: Schedule) => runSchedule(schedule, database.server);
  const failsAlike = async (schedule: Schedule) => (await runAgain(schedule)).violation?.invariant === invariant;
  const shortest = written === null ? await shrink(found.schedule, failsAlike) : found.schedule;
  const again = shortest === found.schedule ? found : await runAgain(shortest);
  const { story, violation } = again.violation === null ? found : again;
  print(story.join('\n'));
  print(`\nFAILED: ${violation?.invariant}\n${violation?.found}`);
  if (again.violation === null) print('The failure did not repeat: something besides the seed decided what happened.');
  print(`Replay: npx pnpm@12.21.0 simulate ${formatOptions(shortest)} --story`);
}

/** The options that run a schedule again. */
function formatOptions({ seed: replayed, happenings }: Schedule): string {
  if (values.regressions) return '--regressions';
  if (written !== null) return `--plant "${plant}"`;
  const all = planSchedule(replayed).happenings.map((happening) => JSON.stringify(happening));
  const only = happenings.map((happening) => all.indexOf(JSON.stringify(happening)));
  return `--seed ${replayed} --only ${only.join(',')}${plant === null ? '' : ` --plant "${plant}"`}`;
}

function readOptions() {
  const options = {
    schedules: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    plant: { type: 'string' },
    story: { type: 'boolean', default: false },
    regressions: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function onlySome(schedule: Schedule): Schedule {
  if (values.only === undefined) return schedule;
  const kept = new Set(values.only.split(',').map(Number));
  return { ...schedule, happenings: schedule.happenings.filter((_, index) => kept.has(index)) };
}

function wholeNumber(option: string, text: string, most: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Infinity;
  if (number > most) fail(`--${option} must be a whole number from 0 to ${most}, but is "${text}"`);
  return number;
}

function fail(message: string): never {
  process.stderr.write(`${message}\n\n${HELP}`);
  process.exit(1);
}
