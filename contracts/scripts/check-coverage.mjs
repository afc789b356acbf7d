import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { instrumentBranches } from './instrument-branches.mjs';

// Fails unless the Solidity tests run every line and both outcomes of every condition of our own sources. Hardhat
// reports only statements, so the tests run on a copy of the project in which every outcome of a condition is a
// statement.

const project = fileURLToPath(new URL('..', import.meta.url));
const copy = join(project, 'cache', 'coverage');
const require = createRequire(import.meta.url);

rmSync(copy, { recursive: true, force: true });
mkdirSync(copy, { recursive: true });
for (const name of ['package.json', 'hardhat.config.ts', 'test']) {
  cpSync(join(project, name), join(copy, name), { recursive: true });
}
// The campaigns take minutes to compile and cover no further lines.
rmSync(join(copy, 'test', 'invariants'), { recursive: true });
symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));

const names = globSync('src/**/*.sol', { cwd: project });
const files = Object.fromEntries(names.map((name) => [name, join(project, name)]));
const readImport = (name) => readFileSync(require.resolve(name), 'utf8');
const { rewritten, outcomes, branches } = instrumentBranches(files, readImport);
for (const [name, text] of Object.entries({ ...rewritten, 'src/Outcomes.sol': outcomes })) {
  mkdirSync(dirname(join(copy, name)), { recursive: true });
  writeFileSync(join(copy, name), text);
}

const hardhat = join(project, 'node_modules', '.bin', 'hardhat');
const args = ['test', 'solidity', '--coverage', '--test-profile', 'coverage', '--no-typechain'];
const { status, stdout } = spawnSync(hardhat, args, { cwd: copy, encoding: 'utf8', maxBuffer: 2 ** 28 });
if (status !== 0) {
  console.error(stdout);
  process.exit(1);
}
const report = join(copy, 'coverage', 'lcov.info');
if (!existsSync(report)) throw new Error('Hardhat wrote no coverage report');

/** How often each line was run, by file. */
const hits = new Map();
for (const record of readFileSync(report, 'utf8').split('end_of_record')) {
  const name = /^SF:(.*)$/m.exec(record)?.[1];
  if (name === undefined) continue;
  hits.set(name, new Map([...record.matchAll(/^DA:(\d+),(\d+)$/gm)].map(([, line, times]) => [+line, +times])));
}
const ran = (line) => (hits.get('src/Outcomes.sol')?.get(line) ?? 0) > 0;
let missing = 0;
for (const name of names.toSorted()) {
  const lines = [...(hits.get(name) ?? [])];
  const notRun = lines.filter(([, times]) => times === 0).map(([line]) => line);
  const own = branches.filter((branch) => branch.name === name);
  const never = own.flatMap((branch) =>
    [
      [branch.whenTrue, 'true'],
      [branch.whenFalse, 'false'],
    ]
      .filter(([line]) => !ran(line))
      .map(([, outcome]) => `line ${branch.line}: (${branch.text}) is never ${outcome}`),
  );
  missing += notRun.length + never.length;
  const share = (all, gaps) => (all === 0 ? '   none' : `${(((all - gaps) / all) * 100).toFixed(2).padStart(6)}%`);
  console.log(
    `${name.padEnd(34)} lines ${share(lines.length, notRun.length)}  branches ${share(2 * own.length, never.length)}`,
  );
  if (notRun.length > 0) console.log(`  lines never run: ${notRun.join(', ')}`);
  for (const gap of never) console.log(`  ${gap}`);
}
if (missing > 0) {
  console.error(`${missing} lines or outcomes are not covered: both must be 100 %`);
  process.exit(1);
}
