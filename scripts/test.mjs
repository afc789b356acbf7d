import './check-node.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareBrowser } from './browser.mjs';
import { listMissing } from './programs.mjs';
import { serveSlots } from './slots.mjs';
import { FAILURES } from './test-package.mjs';
import { installTools } from './tools.mjs';
import * as turbo from './turbo.mjs';

// Usage: node scripts/test.mjs [--all | --rest | --long] [turbo's arguments, such as --filter=@causeway/store]
// Runs the tests of all packages to the end, and prints a command to rerun each failed file.
//   (nothing)  tests that need no system program, and a smoke test of the whole bridge
//   --all      also the others, except the nightly campaigns; --rest: only the others
//   --long     everything, in full length

const TASKS = { '--all': ['test', 'test:rest'], '--rest': ['test:rest'], '--long': ['test:long'] };
/** How many packages test at once: their tests wait half of the time. More at once makes tests fail on two cores. */
const SLOTS = 3;
const ROOT = join(import.meta.dirname, '..');

const startedAtMs = performance.now();
const [first, ...others] = process.argv.slice(2);
const tasks = TASKS[first] ?? ['test'];
const words = first in TASKS ? others : process.argv.slice(2);

const missing = first in TASKS ? listMissing(first === '--long') : [];
if (missing.length > 0) {
  console.error(`Some tests need programs that this system lacks. On Debian or Ubuntu:
  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing.join(' ')}
This starts servers among them (Prometheus on all interfaces): stop those that you do not want.
\`npx pnpm@12.21.0 test\` needs none of these.`);
  process.exit(1);
}

const browser = prepareBrowser();
// Before tests that use them start in parallel.
if (first in TASKS) for (const group of ['cast', 'openapi']) installTools(group);
const list = () => fs.globSync(`{contracts,e2e,packages/*,apps/*,tools/*}/${FAILURES}`, { cwd: ROOT });
// More than there are packages: the slots limit how many test at once, and waiting ones must not stop builds.
const flags = ['--continue=dependencies-successful', '--output-logs=new-only', '--concurrency=64'];
// On Ctrl-C turbo ends the packages before they can delete their files, which are all in this folder.
const temporary = fs.mkdtempSync(join(tmpdir(), 'causeway-tests-'));
fs.chmodSync(temporary, 0o755);
const slots = await serveSlots(first === '--long' ? 1 : SLOTS);
let isInterrupted = false;
process.on('SIGINT', () => {
  isInterrupted = true;
});
process.on('exit', () => fs.rmSync(temporary, { recursive: true, force: true, maxRetries: 10 }));
const failures = [];
let isGreen = true;
for (const task of tasks) {
  for (const file of list()) fs.rmSync(join(ROOT, file));
  const child = spawn(process.execPath, [turbo.program, 'run', task, ...flags, ...words], {
    stdio: 'inherit',
    env: { ...turbo.environment, ...browser, TMPDIR: temporary, TEST_SLOTS: `${slots}` },
  });
  const [code] = await once(child, 'close');
  isGreen &&= code === 0 && !isInterrupted;
  if (isInterrupted) break;
  failures.push(...list().flatMap((file) => fs.readFileSync(join(ROOT, file), 'utf8').split('\n').filter(Boolean)));
}
const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
if (failures.length > 0) console.error(`\nFailed. Each again:\n${failures.map((line) => `  ${line}\n`).join('')}`);
console.log(`${isGreen ? 'All tests passed' : 'Tests failed'} after ${seconds} s.`);
process.exitCode = isGreen ? 0 : 1;
