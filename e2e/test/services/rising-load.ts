import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from '@causeway/testbed/services';
import type { Client } from 'pg';
import type { Operations } from './operations.js';

/** Operations an hour of each step, after the hour at 10,000. */
export const STEPS = [20_000, 40_000, 80_000, 160_000, 320_000] as const;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SAMPLE_MS = 5_000;
const PAUSE_MS = 20;
/** The lag grows when this share of the sent operations does not end. */
const MOST_LEFT = 0.05;
/** A process of one thread with this share of a core, and a machine with this share of all cores, are saturated. */
const SATURATED = 0.9;
const ONE_THREAD = /^(api|gateway|partner|relayer)/;
/** Clock ticks a second of /proc/<pid>/stat: USER_HZ of Linux. */
const TICKS_PER_SECOND = 100;
const LARGEST = 6;

/** Open operations by status, and sent ones that the database lacks as `unseen`. */
type Open = ReadonlyMap<string, number>;

interface Sample {
  readonly minutes: number;
  readonly open: Open;
}

/**
 * Sends operations at rising rates, each for some minutes, until the lag grows, because more begin than end, or the
 * test cannot send more. Prints for each step how many are open and the cores in use, and where the lag grew.
 *
 * @param minutes of each step.
 */
export async function raiseLoad(
  fleet: Fleet,
  operations: Operations,
  database: Client,
  minutes: number,
): Promise<void> {
  const known = await countOperations(database);
  for (const perHour of STEPS) {
    const samples: Sample[] = [];
    const processors = new ProcessorUse(fleet);
    const [first, startedAtMs] = [operations.sent.length, Date.now()];
    const endMs = startedAtMs + minutes * MINUTE_MS;
    for (let now = startedAtMs, nextAtMs = 0; now < endMs; now = Date.now()) {
      const due = first + (perHour * (now - startedAtMs)) / HOUR_MS;
      // A sample is due even when the senders cannot keep up.
      while (operations.sent.length < due && Date.now() - now < SAMPLE_MS) await operations.begin();
      if (now >= nextAtMs) {
        nextAtMs = now + SAMPLE_MS;
        const open = await readOpen(database, operations.sent.length + known);
        samples.push({ minutes: (Date.now() - startedAtMs) / MINUTE_MS, open });
      }
      await sleep(PAUSE_MS);
    }
    const sentPerHour = ((operations.sent.length - first) * HOUR_MS) / (Date.now() - startedAtMs);
    // In the first half, the operations of the step before still end.
    const lag = findLag(samples.slice(Math.floor(samples.length / 2)));
    const hasGrown = lag.perMinute > (MOST_LEFT * sentPerHour) / 60;
    const isSlow = sentPerHour < (1 - MOST_LEFT) * perHour;
    const last = countOpen(samples.at(-1)?.open ?? new Map());
    const lines = [
      `${perHour} an hour for ${minutes} minutes (${Math.round(sentPerHour)} sent): ${last} open at the end, ` +
        `${lag.perMinute.toFixed(0)} more a minute, mean ${((3_600 * last) / sentPerHour).toFixed(0)} s an operation`,
      processors.describe(),
      ...(hasGrown ? [`the lag grows at ${Math.round(sentPerHour)} an hour, most in ${lag.status}`] : []),
      ...(isSlow ? [`the test cannot send ${perHour} an hour`] : []),
    ];
    process.stderr.write(`${lines.join('\n')}\n`);
    if (hasGrown || isSlow) return;
  }
}

async function countOperations(database: Client): Promise<number> {
  const { rows } = await database.query<{ count: number }>('SELECT count(*)::int AS count FROM operation');
  return rows[0]?.count ?? 0;
}

/** @param sent operations that the database has once it has seen all. */
async function readOpen(database: Client, sent: number): Promise<Open> {
  const { rows } = await database.query<{ status: string; count: number }>(
    `SELECT status::text, count(*)::int AS count FROM operation
     WHERE status NOT IN ('COMPLETED', 'FAILED', 'EXPIRED') GROUP BY status`,
  );
  const unseen = Math.max(0, sent - (await countOperations(database)));
  return new Map([['unseen', unseen], ...rows.map(({ status, count }) => [status, count] as const)]);
}

/** The growth of the open operations, and the status that grows most. */
function findLag(samples: readonly Sample[]): { readonly perMinute: number; readonly status: string } {
  const slope = (pick: (open: Open) => number) =>
    computeSlope(samples.map(({ minutes, open }) => [minutes, pick(open)] as const));
  const statuses = [...new Set(samples.flatMap(({ open }) => [...open.keys()]))];
  const growth = statuses.map((status) => ({ status, perMinute: slope((open) => open.get(status) ?? 0) }));
  const most = growth.toSorted((one, other) => other.perMinute - one.perMinute)[0];
  return { perMinute: slope(countOpen), status: most?.status ?? 'none' };
}

function countOpen(open: Open): number {
  return [...open.values()].reduce((sum, count) => sum + count, 0);
}

/** The least-squares slope of points. */
export function computeSlope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (pick: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const [x, y] = [mean((point) => point[0]), mean((point) => point[1])];
  const covariance = mean((point) => (point[0] - x) * (point[1] - y));
  return covariance / mean((point) => (point[0] - x) ** 2);
}

/** The processor time of the machine and of each process with its children, since the construction. */
class ProcessorUse {
  private readonly startedAtMs = Date.now();
  private readonly before = readProcessors();
  private readonly byProcess: ReadonlyMap<string, number>;

  constructor(private readonly fleet: Fleet) {
    this.byProcess = readSeconds(fleet);
  }

  /** Describes the cores in use, and whether a process or the whole machine is saturated. */
  describe(): string {
    const seconds = (Date.now() - this.startedAtMs) / 1_000;
    const after = readProcessors();
    const cores = availableParallelism();
    const busy = (cores * (after.busy - this.before.busy)) / (after.all - this.before.all);
    const used = [...readSeconds(this.fleet)]
      .map(([name, now]) => [name, (now - (this.byProcess.get(name) ?? 0)) / seconds] as const)
      .toSorted(([, one], [, other]) => other - one);
    const saturated = [
      ...used.filter(([name, each]) => each > SATURATED && ONE_THREAD.test(name)).map(([name]) => name),
      ...(busy > SATURATED * cores ? ['the machine'] : []),
    ];
    const largest = used.slice(0, LARGEST).map(([name, each]) => `${name} ${each.toFixed(2)}`);
    return (
      `cores: ${busy.toFixed(1)} of ${cores} busy (${largest.join(', ')})` +
      (saturated.length === 0 ? '' : `; saturated: ${saturated.join(', ')}`)
    );
  }
}

function readProcessors(): { readonly busy: number; readonly all: number } {
  const times = cpus().map(({ times: each }) => each);
  const all = times.reduce((sum, each) => sum + each.user + each.nice + each.sys + each.idle + each.irq, 0);
  return { all, busy: all - times.reduce((sum, { idle }) => sum + idle, 0) };
}

/** Processor seconds by the name of a process of the fleet, with those of its children. */
function readSeconds({ processes }: Fleet): ReadonlyMap<string, number> {
  const stats = new Map<number, { readonly parent: number; readonly ticks: number }>();
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      // The second field is the name in parentheses. The times of ended children are the last two of four.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
        .map(Number);
      stats.set(Number(pid), {
        parent: fields[1] ?? 0,
        ticks: fields.slice(11, 15).reduce((sum, each) => sum + each, 0),
      });
    } catch {
      // It has ended.
    }
  }
  const roots = new Map(processes.list().map(({ name, pid }) => [pid, name]));
  const seconds = new Map<string, number>();
  for (const [pid, { ticks }] of stats) {
    let root = pid;
    while (!roots.has(root) && stats.has(root)) root = stats.get(root)?.parent ?? 0;
    const name = roots.get(root);
    if (name !== undefined) seconds.set(name, (seconds.get(name) ?? 0) + ticks / TICKS_PER_SECOND);
  }
  return seconds;
}
