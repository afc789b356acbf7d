import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, collect, writeProject } from './project.mjs';
import { makeProgressPrinter, show, table } from './report.mjs';
import { runMutants } from './runner.mjs';
import { compare, toEntry } from './survivors.mjs';

// Mutation testing: changes our own sources in small ways, one at a time. Fails when all Solidity tests still pass,
// unless test/mutation/survivors.json explains why. docs/contribute/testing.md describes it.

const HELP = `Usage: test:mutation [options]
  --sample <n>      run only n mutants, drawn with --seed
  --seed <n>        seed of the sample, 1 by default
  --only <text>     run only the mutants of files whose name contains this
  --mutant <n>      run only this mutant
  --show            print the selected mutants and exit
  --resume          keep the results of an earlier run of the same sources; after a change of tests, only its kills
  --jobs <n>        parallel processes, 2 by default
  --sources <path>  the folder that contains src/ and test/, this package by default`;
const options = {
  sample: { type: 'string' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string' },
  mutant: { type: 'string' },
  show: { type: 'boolean', default: false },
  resume: { type: 'boolean', default: false },
  jobs: { type: 'string', default: '2' },
  sources: { type: 'string', default: join(import.meta.dirname, '..', '..') },
  help: { type: 'boolean', default: false },
};
const { values: flags } = parseArgs({ options });
const print = (text) => process.stdout.write(`${text}\n`);

/** n elements of a list in their order, chosen by the seed (mulberry32, a public domain generator). */
function drawSample(list, count, seed) {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const drawn = list.map((element) => ({ element, rank: random() })).toSorted((a, b) => a.rank - b.rank);
  const chosen = new Set(drawn.slice(0, count).map(({ element }) => element));
  return list.filter((element) => chosen.has(element));
}

function select(mutants) {
  let selected = mutants;
  if (flags.only) selected = selected.filter(({ file }) => file.includes(flags.only));
  if (flags.mutant) selected = selected.filter(({ number }) => number === Number(flags.mutant));
  if (flags.sample) selected = drawSample(selected, Number(flags.sample), Number(flags.seed));
  if (selected.length === 0) throw new Error('No mutant is selected');
  return selected;
}

/**
 * Results of an earlier run of the same sources, by number. After a change of tests only the kills: survivors run
 * again.
 */
function readResults(path, digests) {
  const [head, ...lines] = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(JSON.parse) : [];
  const isSame = flags.resume && head?.sources === digests.sources;
  const kept = isSame ? lines.filter(({ killedBy }) => killedBy !== null || head.others === digests.others) : [];
  writeFileSync(path, [digests, ...kept].map((line) => `${JSON.stringify(line)}\n`).join(''));
  return new Map(kept.map((result) => [result.number, result]));
}

async function main() {
  if (flags.help) return print(HELP);
  const root = resolve(flags.sources);
  const { mutants, invalid, texts } = collect(root);
  const selected = select(mutants);
  if (flags.show) return print(selected.map(show).join('\n'));
  print(`${mutants.length} mutants; ${invalid.length} more do not compile and are left out`);

  const copy = join(root, 'cache', 'mutation');
  mkdirSync(copy, { recursive: true });
  const { tests, digests } = writeProject(root, copy, texts);
  const start = performance.now();
  build(copy);
  print(`Compiled in ${((performance.now() - start) / 1_000).toFixed(0)} s`);

  const path = join(copy, 'results.ndjson');
  const results = readResults(path, digests);
  const numbers = selected.map(({ number }) => number).filter((number) => !results.has(number));
  await runMutants({
    project: copy,
    tests,
    numbers,
    jobs: Number(flags.jobs),
    onPhase: (phase, count) => makeProgressPrinter(phase, count, print),
    onResult: (result) => {
      results.set(result.number, result);
      appendFileSync(path, `${JSON.stringify(result)}\n`);
    },
  });
  finish({ root, copy, mutants, selected, results });
}

function finish({ root, copy, mutants, selected, results }) {
  const list = join(root, 'test', 'mutation', 'survivors.json');
  const explained = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  const ran = new Set(selected.map(({ number }) => number));
  const survivors = new Set([...ran].filter((number) => results.get(number).killedBy === null));
  const { unexplained, wrong } = compare({ mutants, survivors, ran, explained });
  for (const mutant of unexplained) print(`\nSurvives: ${show(mutant)}`);
  for (const { entry, problem } of wrong) print(`\nAn explanation ${problem}: ${JSON.stringify(entry)}`);
  print(`\n${table(selected, results, unexplained)}`);
  const output = join(copy, 'unexplained.json');
  rmSync(output, { force: true });
  if (unexplained.length === 0 && wrong.length === 0) return;
  writeFileSync(output, `${JSON.stringify(unexplained.map(toEntry), null, 2)}\n`);
  print(`\n${unexplained.length} survivors without an explanation, see ${output}; ${wrong.length} wrong explanations`);
  process.exitCode = 1;
}

await main();
