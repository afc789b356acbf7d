import './check-node.mjs';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareBrowser } from './browser.mjs';
import { build } from './build.mjs';
import { takeSlot } from './slots.mjs';
import * as turbo from './turbo.mjs';

// Usage, in a package's folder: node ../../scripts/test-package.mjs [--rest | --unit | --long] [Jest's arguments]
// Runs the tests of a package. Started by hand, it first builds their dependencies, which turbo has already built.
//   (nothing)  files that need no system program and take seconds
//   --rest     the other files, which the package's jest.config.mjs lists
//   --unit     files next to the code
//   --long     all files, in full length
// Paths or parts of paths select among all files of the package.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NEED_BROWSER = new Set(['apps/admin', 'apps/web', 'e2e', 'packages/react']);
const MODES = { '--rest': 'rest', '--unit': 'unit', '--long': 'long' };
/** Where scripts/test.mjs finds the commands that rerun the failed files. */
export const FAILURES = 'node_modules/.cache/failed-tests';

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));

async function main(words) {
  const mode = MODES[words[0]] ?? 'quick';
  const jestWords = words.slice(mode === 'quick' ? 0 : 1).filter((word) => word !== '--');
  const patterns = jestWords.filter((word, i) => !word.startsWith('-') && jestWords[i - 1] !== '-t');
  const isUnit = mode === 'unit' || (patterns.length > 0 && patterns.every((pattern) => /^(\.\/)?src\//.test(pattern)));
  const folder = relative(ROOT, process.cwd());
  const seed = process.env.TEST_SEED || `${randomInt(2 ** 31)}`;
  const env = {
    ...turbo.environment,
    TEST_SEED: seed,
    TEST_SCOPE: patterns.length > 0 || mode === 'unit' || mode === 'long' ? 'all' : mode,
    ...(mode === 'long' ? { LONG_TESTS: '1' } : {}),
  };
  if (!('TURBO_HASH' in process.env)) {
    const { name } = JSON.parse(fs.readFileSync('package.json', 'utf8'));
    if (!(await build(isUnit ? 'build' : 'test:build', [name]))) return 1;
    if (!isUnit && NEED_BROWSER.has(folder)) Object.assign(env, prepareBrowser());
  }
  if (process.env.TEST_SLOTS !== undefined) await takeSlot(Number(process.env.TEST_SLOTS), folder);

  // All temporary files of tests are in this folder, so that an interrupted run leaves none behind.
  const temporary = fs.mkdtempSync(join(tmpdir(), 'causeway-tests-'));
  fs.chmodSync(temporary, 0o755);
  env.TMPDIR = temporary;
  // A terminal sends SIGINT to Jest too.
  process.on('SIGINT', () => undefined);
  process.on('exit', () => fs.rmSync(temporary, { recursive: true, force: true, maxRetries: 10 }));

  const shard = process.env.TEST_SHARD ? [`--shard=${process.env.TEST_SHARD}`] : [];
  const failed = [];
  if (fs.existsSync('hardhat.config.ts') && jestWords.length === 0 && (mode === 'quick' || mode === 'long'))
    if (!(await isSuccess(['scripts/test-solidity.mjs'], env))) failed.push('exec node scripts/test-solidity.mjs');
  const script = mode === 'quick' ? 'test' : `test:${mode}`;
  const unit = ['--passWithNoTests', './src/', './deploy/'];
  const files = await runJest(mode === 'unit' ? unit : [...shard, ...jestWords], env);
  failed.push(...files.map((file) => (file === '' ? script : `${mode === 'long' ? script : 'test'} -- ${file}`)));
  if (failed.length === 0) return 0;
  const variables = `${mode === 'long' ? 'LONG_TESTS=1 ' : ''}TEST_SEED=${seed}`;
  const lines = failed.map((rest) => `cd ${folder} && ${variables} npx pnpm@12.21.0 ${rest}\n`);
  fs.writeFileSync(FAILURES, lines.join(''));
  process.stderr.write(`\nAgain:\n  ${lines.join('  ')}`);
  return 1;
}

/** Returns the failed test files; an empty name if Jest itself failed. */
async function runJest(words, env) {
  const list = join(process.cwd(), FAILURES);
  fs.mkdirSync(dirname(list), { recursive: true });
  fs.writeFileSync(list, '');
  const flags = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const reporters = ['--reporters=default', `--reporters=${join(ROOT, 'scripts/failed-files.mjs')}`];
  const isGreen = await isSuccess([...flags, ...words, ...reporters], { ...env, FAILED_FILES: list });
  const paths = fs.readFileSync(list, 'utf8').split('\n').filter(Boolean);
  fs.rmSync(list);
  return isGreen ? [] : paths.length > 0 ? paths.map((path) => relative(process.cwd(), path)) : [''];
}

async function isSuccess(words, env) {
  const child = spawn(process.execPath, words, { stdio: 'inherit', env });
  const end = () => child.kill('SIGTERM');
  process.once('SIGTERM', end);
  const [code] = await once(child, 'close');
  process.off('SIGTERM', end);
  return code === 0;
}
