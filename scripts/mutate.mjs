import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { table } from '../contracts/scripts/mutation/report.mjs';
import { compare, toEntry } from '../contracts/scripts/mutation/survivors.mjs';

// Mutation testing of TypeScript with Stryker: makes one small change to our sources at a time, and fails if the tests
// still pass, unless the package's survivors.json explains why. docs/contribute/testing.md describes it.

const HELP = `Usage: npx pnpm@12.21.0 mutate [options] [file or folder...]
Without a file: those whose survivors are all explained, one after the other.
  --list            print the files and exit
  --minutes <n>     start no file after this time; default: no limit
  --seed <text>     order of the files; default: today's date
  --line <n>        only the mutants of this line
`;
/** The files of the nightly run, whose survivors are all explained. */
const SOURCES = [
  'packages/protocol/src/{assets,fees,refunds}.ts',
  'packages/chain/src/nodes/circuit-breaker.ts',
  'packages/chain/src/wallet/{books,fees,follow-decision}.ts',
  'packages/store/src/{audit/verify-audit,intents/payment-window}.ts',
  'apps/relayer/src/stages/{bind,decode-block,encode-delivery,finalize,hold,plan-deliveries,retire,settle}.ts',
  'apps/relayer/src/stages/refund/encode-refund.ts',
  'apps/relayer/src/accounting/wallet-flows.ts',
  'apps/relayer/src/wallet/{call-end,delivery-delay}.ts',
  'apps/relayer/src/watch/judge-delivery.ts',
];
/** Excluded mutators: texts, and object literals, whose fields the types check. */
const EXCLUDED = ['StringLiteral', 'ObjectLiteral'];

const options = {
  list: { type: 'boolean', default: false },
  minutes: { type: 'string', default: 'Infinity' },
  seed: { type: 'string', default: new Date().toISOString().slice(0, 10) },
  line: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
};
const { values: flags, positionals } = parseArgs({ options, allowPositionals: true });
const print = (text) => process.stdout.write(`${text}\n`);
const root = join(import.meta.dirname, '..');

/** Returns the chosen files with a test next to them, relative to the root, in the order of the seed. */
function select() {
  const chosen = positionals.map((path) => relative(root, resolve(path)));
  const patterns = chosen.length === 0 ? SOURCES : chosen.flatMap((path) => [path, `${path}/**/*.ts`]);
  const rank = (file) =>
    createHash('sha256')
      .update(JSON.stringify([flags.seed, file]))
      .digest('hex');
  const selected = globSync(patterns, { cwd: root }).filter((file) => existsSync(join(root, getTestFile(file))));
  if (selected.length === 0) throw new Error('No chosen file has a test next to it');
  return selected.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** Returns the test next to a file. */
const getTestFile = (file) => file.replace(/\.ts$/, '.test.ts');

/** Runs all mutants of a file, one at a time, each with the test next to the file. */
async function run(path) {
  const [parent, name, ...rest] = path.split('/');
  const [folder, file] = [join(root, parent, name), rest.join('/')];
  process.chdir(folder);
  const { default: preset } = await import(pathToFileURL(join(folder, 'jest.config.mjs')).href);
  const { globalSetup: _, ...config } = preset;
  const stryker = new Stryker({
    mutate: [flags.line === undefined ? file : `${file}:${Number(flags.line)}-${Number(flags.line)}`],
    mutator: { excludedMutations: EXCLUDED },
    ignorePatterns: ['dist', 'bench'],
    plugins: [import.meta.resolve('@stryker-mutator/jest-runner')],
    testRunner: 'jest',
    testRunnerNodeArgs: ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning'],
    jest: {
      projectType: 'custom',
      enableFindRelatedTests: false,
      config: {
        ...config,
        testEnvironment: fileURLToPath(import.meta.resolve('jest-environment-node')),
        testMatch: [`<rootDir>/${getTestFile(file)}`],
      },
    },
    coverageAnalysis: 'perTest',
    concurrency: 1,
    timeoutMS: 60_000,
    reporters: ['progress-append-only'],
    warnings: false,
    allowConsoleColors: false,
    tempDirName: join(root, 'coverage', 'mutation'),
    cleanTempDir: 'always',
    // Stryker would read it with the compiler's API, which TypeScript 7 lacks.
    tsconfigFile: 'none',
  });
  const results = await stryker.runMutationTest();
  return results.filter(({ status }) => status !== 'Ignored').map((result) => describe(result, path));
}

/** Describes a mutant: its lines before and after, and whether a test detected it. */
function describe({ location: { start, end }, mutatorName, replacement, status }, file) {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  const [before, after] = [lines[start.line - 1].slice(0, start.column - 1), lines[end.line - 1].slice(end.column - 1)];
  const squash = (text) => text.replaceAll(/\s+/g, ' ').trim();
  const killedBy = { Survived: null, NoCoverage: null, Timeout: 'timeout' }[status];
  return {
    file,
    line: start.line,
    operator: mutatorName,
    original: squash(lines.slice(start.line - 1, end.line).join(' ')),
    mutated: squash(`${before}${replacement}${after}`),
    killedBy: killedBy === undefined ? 'a test' : killedBy,
  };
}

/** Numbers the mutants, and counts those with the same lines. */
function number(mutants) {
  const seen = new Map();
  return mutants.map((mutant, index) => {
    const key = JSON.stringify([mutant.file, mutant.operator, mutant.original, mutant.mutated]);
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return { ...mutant, number: index + 1, occurrence: seen.get(key) };
  });
}

/** Reads the explained survivors of all packages, with files relative to the root. */
function readExplained() {
  const lists = globSync('{packages,apps,tools}/*/test/mutation/survivors.json', { cwd: root });
  return lists.flatMap((list) => JSON.parse(readFileSync(join(root, list), 'utf8')));
}

async function main() {
  if (flags.help) return print(HELP);
  const files = select();
  if (flags.list) return print(files.join('\n'));
  const deadline = performance.now() + Number(flags.minutes) * 60_000;
  print(`${files.length} files, in the order of the seed ${String(flags.seed)}`);
  const found = [];
  for (const file of files) {
    if (performance.now() > deadline) break;
    print(`\n${file}`);
    const start = performance.now();
    const mutants = await run(file);
    for (const mutant of mutants) found.push({ ...mutant, ms: (performance.now() - start) / mutants.length });
  }
  finish(number(found), files);
}

function finish(mutants, files) {
  const ran = new Set(mutants.map(({ file }) => file));
  const explained = readExplained().filter(({ file }) => ran.has(file) || !existsSync(join(root, file)));
  const numbers = new Set(mutants.map((mutant) => mutant.number));
  const survivors = new Set(mutants.filter(({ killedBy }) => killedBy === null).map((mutant) => mutant.number));
  const { unexplained, wrong: unmatched } = compare({ mutants, survivors, ran: numbers, explained });
  // A single line has only some of the explained mutants.
  const wrong = flags.line === undefined ? unmatched : [];
  for (const { file, line, operator, original, mutated } of unexplained)
    print(`\nSurvives: ${file}:${line} (${operator})\n  - ${original}\n  + ${mutated}`);
  for (const { file, line, mutated } of mutants.filter(({ killedBy }) => killedBy === 'timeout'))
    print(`\nTimeout: ${file}:${line}\n  + ${mutated}`);
  for (const { entry, problem } of wrong) print(`\nAn explanation ${problem}: ${JSON.stringify(entry)}`);
  const results = new Map(mutants.map((mutant) => [mutant.number, mutant]));
  print(`\n${table(mutants, results, unexplained)}`);
  print(`${ran.size} of ${files.length} files`);
  const output = join(root, 'coverage', 'mutation', 'unexplained.json');
  rmSync(output, { force: true });
  if (unexplained.length === 0 && wrong.length === 0) return;
  mkdirSync(join(root, 'coverage', 'mutation'), { recursive: true });
  writeFileSync(output, `${JSON.stringify(unexplained.map(toEntry), null, 2)}\n`);
  print(`\n${unexplained.length} survivors without an explanation, see ${output}; ${wrong.length} wrong explanations`);
  process.exitCode = 1;
}

await main();
