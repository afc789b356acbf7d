import './check-node.mjs';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { prepareBrowser } from './browser.mjs';
import { listMissing } from './programs.mjs';
import { FAILURES } from './test-package.mjs';
import * as turbo from './turbo.mjs';

// Usage: node scripts/test.mjs [--all | --rest | --long] [turbo's arguments, such as --filter=@causeway/store]
// Runs the tests of all packages to their end, and prints the command of each file that failed.
//   (nothing)  what needs no program of the system, and a smoke of the whole bridge
//   --all      everything, and --rest what the first does not run
//   --long     everything, in its full length

const TASKS = { '--all': ['test', 'test:rest'], '--rest': ['test:rest'], '--long': ['test:long'] };
const ROOT = join(import.meta.dirname, '..');

const startedAtMs = performance.now();
const [first, ...others] = process.argv.slice(2);
const tasks = TASKS[first] ?? ['test'];
const words = first in TASKS ? others : process.argv.slice(2);

const missing = first in TASKS ? listMissing() : [];
if (missing.length > 0) {
  console.error(`Some tests need programs that this system lacks. On Debian or Ubuntu:
  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing.join(' ')}
This starts servers among them (Prometheus on all interfaces): stop those that you do not want.
\`npx pnpm@12.21.0 test\` needs none of them.`);
  process.exit(1);
}

const browser = prepareBrowser();
const list = () => fs.globSync(`{contracts,e2e,packages/*,apps/*}/${FAILURES}`, { cwd: ROOT });
for (const file of list()) fs.rmSync(join(ROOT, file));
const flags = ['--continue=always', '--output-logs=new-only', `--concurrency=${first === '--long' ? 1 : 3}`];
const { status } = spawnSync(process.execPath, [turbo.program, 'run', ...tasks, ...flags, ...words], {
  stdio: 'inherit',
  env: { ...turbo.environment, ...browser },
});
const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
const failures = list().flatMap((file) => fs.readFileSync(join(ROOT, file), 'utf8').split('\n').filter(Boolean));
if (failures.length > 0) console.error(`\nFailed. Each again:\n${failures.map((line) => `  ${line}\n`).join('')}`);
console.log(`${status === 0 ? 'All tests passed' : 'Tests failed'} after ${seconds} s.`);
process.exitCode = status ?? 1;
