import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { chaosCommand } from '../e2e/chaos/command.ts';
import { demoCommand, servicesCommand, stackCommand } from '../packages/testbed/src/cli/commands.ts';
import { DEFAULT_ENVIRONMENT_OPTIONS } from '../packages/testbed/src/environment/options.ts';
import * as turbo from './turbo.mjs';

// Usage: node scripts/run.mjs <demo|stack|services|faucet|admin|gateway|chaos> [flags]. Builds with a line on standard error for each
// package, and starts the program in this process. All but the faucet, the operators' commands and the gateway, which
// need the build, answer --help and refuse wrong flags before it.

const TESTBED = '@causeway/testbed';
const cli = (name) => `../packages/testbed/dist/cli/${name}.js`;
const PROGRAMS = {
  demo: { packages: [TESTBED], main: cli('demo'), command: demoCommand() },
  stack: {
    packages: [TESTBED, '@causeway/admin'],
    main: cli('stack'),
    command: stackCommand(DEFAULT_ENVIRONMENT_OPTIONS),
  },
  services: {
    packages: [TESTBED, '@causeway/admin', '@causeway/admin-cli'],
    main: cli('services'),
    command: servicesCommand(),
  },
  faucet: { packages: [TESTBED], main: cli('faucet') },
  admin: { packages: ['@causeway/admin-cli'], main: '../packages/admin-cli/dist/bundle/main.js' },
  gateway: { packages: ['@causeway/gateway'], main: '../apps/gateway/dist/bundle/main.js' },
  chaos: { packages: ['@causeway/e2e'], main: '../e2e/chaos/main.ts', command: chaosCommand() },
};
/** A build that has nothing to do ends earlier. */
const NOTICE_MS = 1_500;

const [name, ...flags] = process.argv.slice(2);
const program = PROGRAMS[name];
if (program === undefined) throw new Error(`usage: run.mjs <${Object.keys(PROGRAMS).join('|')}> [flags]`);
program.command?.parse(flags, { from: 'user' });
await build(program.packages);
const main = new URL(program.main, import.meta.url);
process.argv.splice(1, 2, main.pathname);
await import(main.href);

/** Builds packages and those that they need, as far as they have changed. Ends the process when the build fails. */
async function build(packages) {
  const startedAtMs = Date.now();
  const elapsed = () => `${((Date.now() - startedAtMs) / 1000).toFixed(0)} s`;
  // Grouped output: the lines of a package come when it has been built.
  const args = ['run', 'build', '--output-logs=full', '--log-order=grouped', '--log-prefix=task'];
  const child = spawn(process.execPath, [turbo.program, ...args, ...packages.map((each) => `--filter=${each}`)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...turbo.environment, FORCE_COLOR: '0' },
  });
  const notice = setTimeout(() => process.stderr.write('Building; the first time takes half a minute.\n'), NOTICE_MS);
  const output = [];
  let built = 0;
  const read = (line) => {
    output.push(line);
    const [, task] = /^@causeway\/(\S+?):build: cache miss/.exec(line) ?? [];
    if (task === undefined) return;
    built += 1;
    process.stderr.write(`- ${task} built after ${elapsed()}\n`);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', read);
  const [code] = await once(child, 'close');
  clearTimeout(notice);
  if (code !== 0) {
    process.stderr.write(`${output.join('\n')}\nThe build failed.\n`);
    process.exit(1);
  }
  if (built > 0) process.stderr.write(`Built ${built} packages in ${elapsed()}.\n`);
}
