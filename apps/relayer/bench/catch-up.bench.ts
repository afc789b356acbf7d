import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import startForTestRun from '@causeway/test-kit/jest-postgres';
import { installedContestants, OURS, type Contestant } from './contestants.ts';
import { installIndexers } from './install-indexers.ts';
import { measureRound, type Round } from './measure-round.ts';
import { measureCapacity, startNodes } from './scripted-node/start-nodes.ts';
import { shrunk, SCRIPTS, type ScriptName } from './scripted-node/scripts.ts';

// Catch-up of the relayer's reader beside Ponder and Subsquid, all with PostgreSQL: the same scripted chain, served
// from memory by three nodes. Prints events a second and calls, and ratios of the same run. Ponder and Subsquid are
// installed into a temporary folder; without a registry their rows are missing. Run it after a build:
// node bench/catch-up.bench.ts [lean] [busy] [empty] [--rounds 5] [--divide 1] [--only <name>] [--folder <path>]
// Scripts are divided by --divide for a quick look. --folder keeps the indexers for the next run.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    divide: { type: 'string', default: '1' },
    folder: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const NODES = 3;
const rounds = Number(values.rounds);
const divisor = Number(values.divide);
/** Ponder over ours, and Subsquid over ours, in seconds: how much faster the reader has to be. */
const GOALS = { lean: { ponder: 4, subsquid: 1 }, busy: { ponder: 2, subsquid: 1 } } as const;
/** Calls for a million blocks without events. */
const MOST_CALLS = 1_600;

const isWanted = (script: ScriptName) => positionals.length === 0 || positionals.includes(script);
const isChosen = ({ name }: Contestant) => name.toLowerCase().includes(values.only.toLowerCase());

print(`${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, Node ${process.version}, ${rounds} rounds\n`);
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'causeway-indexers-'));
try {
  await startForTestRun({});
  const problem = isWanted('lean') || isWanted('busy') ? installIndexers(folder) : null;
  if (problem !== null) print(`Ponder and Subsquid are missing: they could not be installed.\n${problem}\n`);
  const others = problem === null ? installedContestants(folder) : null;
  if (isWanted('lean')) await compare('lean', others);
  if (isWanted('busy')) await compare('busy', others);
  if (isWanted('empty')) await countCalls();
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}
// The server of PostgreSQL ends with this process.
process.exit();

/** Each round lets all contestants read the script, one after the other. */
async function compare(name: 'lean' | 'busy', others: ReturnType<typeof installedContestants> | null): Promise<void> {
  const script = shrunk(SCRIPTS[name], divisor);
  const nodes = await startNodes(script, NODES);
  try {
    const capacity = await measureCapacity(nodes, script.blocks);
    print(
      `\n${name}: ${script.deposits} events in ${script.blocks} blocks, ${script.foreign} other transactions a block;`,
    );
    print(` a node serves ${capacity.toFixed(0)} blocks with transactions in a second of its CPU\n`);
    const contestants = [OURS, ...(others === null ? [] : [others.ponder, others.subsquid])].filter(isChosen);
    const results = new Map<Contestant, Round[]>(contestants.map((contestant) => [contestant, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [contestant, measured] of results) measured.push(await measureRound(contestant, nodes, script));
    }
    for (const [contestant, measured] of results) printRow(contestant.name, measured, script.deposits);
    const ours = results.get(OURS);
    if (ours === undefined || others === null) return;
    printRatio('Ponder', results.get(others.ponder), ours, GOALS[name].ponder);
    printRatio('Subsquid', results.get(others.subsquid), ours, GOALS[name].subsquid);
  } finally {
    await nodes.stop();
  }
}

/** How many calls the reader needs for blocks without events. Those do not depend on the time. */
async function countCalls(): Promise<void> {
  const script = shrunk(SCRIPTS.empty, divisor);
  const nodes = await startNodes(script, NODES);
  try {
    const round = await measureRound(OURS, nodes, script);
    print(`\nempty: ${script.blocks} blocks without events\n`);
    printRow(OURS.name, [round], script.deposits);
    print(`  calls ${round.calls}  goal at most ${MOST_CALLS}${round.calls <= MOST_CALLS ? '' : '  MISSED'}\n`);
  } finally {
    await nodes.stop();
  }
}

function printRow(name: string, measured: readonly Round[], events: number): void {
  const of = (value: (round: Round) => number) => median(measured.map(value));
  const seconds = of((round) => round.seconds);
  const [first] = measured;
  print(
    `  ${name.padEnd(32)}${whole(events / seconds)} events/s ${seconds.toFixed(1).padStart(7)} s` +
      ` ${whole(of(({ calls }) => calls))} calls ${whole(of(({ requests }) => requests))} requests` +
      `  CPU ${of(({ cpuSeconds }) => cpuSeconds).toFixed(1)} s, of the database ` +
      `${of(({ databaseCpuSeconds }) => databaseCpuSeconds).toFixed(1)} s, of the nodes ` +
      `${of(({ nodeCpuSeconds }) => nodeCpuSeconds).toFixed(1)} s\n`,
  );
  const methods = Object.entries(first?.byMethod ?? {}).map(([method, count]) => `${method} ${count}`);
  print(`    ${methods.join(', ')}\n`);
}

/**
 * Prints how much more time another one takes, and how much more CPU with its database. On a busy machine the second
 * figure is the steadier one.
 *
 * @param goal the smallest acceptable ratio of the times.
 */
function printRatio(name: string, theirs: readonly Round[] | undefined, ours: readonly Round[], goal: number): void {
  if (theirs === undefined) return;
  const computeRatio = (value: (round: Round) => number) =>
    median(ours.flatMap((our, index) => theirs.slice(index, index + 1).map((their) => value(their) / value(our))));
  const ratio = computeRatio(({ seconds }) => seconds);
  const cpu = computeRatio(({ cpuSeconds, databaseCpuSeconds }) => cpuSeconds + databaseCpuSeconds);
  const verdict = ratio >= goal ? '' : '  MISSED';
  print(
    `  ${name} / ours: ratio ${ratio.toFixed(2)}  goal ${goal}${verdict}  (of CPU with database ${cpu.toFixed(2)})\n`,
  );
}

function median(all: readonly number[]): number {
  const sorted = all.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en').padStart(8);
}

function print(text: string): void {
  process.stdout.write(text);
}
