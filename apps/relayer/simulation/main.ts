import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Outcome } from './outcome.ts';
import { PLANTS } from './plants.ts';
import { runSchedule } from './run-schedule.ts';
import { shrink } from './shrink.ts';
import { planSchedule, type Schedule } from './world/schedule.ts';

const HELP = `Usage: npx pnpm@12.21.0 simulate [options]

Runs the relayer's own code over simulated chains, nodes, clock and database. A seed decides everything that happens:
crashes, lying nodes, reorgs, fee spikes, halts. It ends with 1 when an invariant did not hold.

  --schedules N  how many schedules to run (1,000; 1 with --seed)
  --seed S       the seed of the first one; the next ones follow it (0)
  --only I,J     of the first schedule only these happenings, as a failure prints them
  --plant BUG    a planted bug, to see it found: ${PLANTS.join(', ')}
  --story        print what happened, also when nothing failed
`;

const { values } = parseArgs({
  options: {
    schedules: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    plant: { type: 'string' },
    story: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const seed = wholeNumber('seed', values.seed ?? '0');
const count = wholeNumber('schedules', values.schedules ?? (values.seed === undefined ? '1000' : '1'));
const plant = values.plant ?? null;
if (plant !== null && !PLANTS.includes(plant)) fail(`There is no bug "${plant}"`);

const startedAt = performance.now();
const failure = count === 1 ? await runOne(onlySome(planSchedule(seed))) : await runMany();
if (failure === null) {
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(`${count} schedules from seed ${seed}, 0 failures, ${(count / seconds).toFixed(0)} a second`);
} else {
  await report(failure);
  process.exitCode = 1;
}

async function runOne(schedule: Schedule): Promise<Outcome | null> {
  const outcome = await runSchedule(schedule, plant);
  if (values.story) console.log(outcome.story.join('\n'));
  return outcome.violation === null ? null : outcome;
}

/** Runs the schedules on all cores. Returns the failure with the lowest seed. */
async function runMany(): Promise<Outcome | null> {
  const size = Math.min(count, availableParallelism());
  const failures = await Promise.all(
    Array.from({ length: size }, (_, first) => {
      const worker = new Worker(new URL('worker.ts', import.meta.url), {
        workerData: { from: seed + first, until: seed + count, step: size, plant },
      });
      return new Promise<Outcome | null>((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
      });
    }),
  );
  const found = failures.filter((outcome) => outcome !== null);
  return found.toSorted((one, other) => one.schedule.seed - other.schedule.seed)[0] ?? null;
}

/** Prints a failure: its seed, the shortest schedule that fails in the same way, and its story. */
async function report({ schedule, violation }: Outcome): Promise<void> {
  const shortest = await shrink(schedule, async (shorter) => {
    const again = await runSchedule(shorter, plant);
    return again.violation?.invariant === violation?.invariant;
  });
  const { story, violation: last } = await runSchedule(shortest, plant);
  const all = planSchedule(schedule.seed).happenings.map((happening) => JSON.stringify(happening));
  const only = shortest.happenings.map((happening) => all.indexOf(JSON.stringify(happening)));
  console.log(story.join('\n'));
  console.log(`\nFAILED: ${last?.invariant}\n${last?.found}`);
  const planted = plant === null ? '' : ` --plant '${plant}'`;
  console.log(`Replay: npx pnpm@12.21.0 simulate --seed ${schedule.seed} --only ${only.join(',')}${planted}`);
}

function onlySome(schedule: Schedule): Schedule {
  if (values.only === undefined) return schedule;
  const kept = new Set(values.only.split(',').map(Number));
  return { ...schedule, happenings: schedule.happenings.filter((_, index) => kept.has(index)) };
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) fail(`--${option} must be a whole number, but is "${text}"`);
  return Number(text);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n\n${HELP}`);
  process.exit(1);
}
