import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { chaosCommand } from '../e2e/chaos/command.ts';
import { demoCommand, stackCommand } from '../packages/testbed/src/cli/commands.ts';
import { DEFAULT_ENVIRONMENT_OPTIONS } from '../packages/testbed/src/environment/options.ts';

// Usage: node scripts/run.mjs <demo|stack|gateway|chaos> [flags]. Builds with one line for each package, and starts the program
// in this process. All but the gateway, whose list of variables needs the build, answer --help and refuse wrong flags
// before it.

const testbed = (name) => ({ package: '@causeway/testbed', main: `../packages/testbed/dist/cli/${name}.js` });
const PROGRAMS = {
  demo: { ...testbed('demo'), command: demoCommand() },
  stack: { ...testbed('stack'), command: stackCommand(DEFAULT_ENVIRONMENT_OPTIONS) },
  gateway: { package: '@causeway/gateway', main: '../apps/gateway/dist/main.js' },
  chaos: { package: '@causeway/e2e', main: '../e2e/chaos/main.ts', command: chaosCommand() },
};

const [name, ...flags] = process.argv.slice(2);
const program = PROGRAMS[name];
if (program === undefined) throw new Error(`usage: run.mjs <${Object.keys(PROGRAMS).join('|')}> [flags]`);
program.command?.parse(flags, { from: 'user' });
await build(program.package);
const main = new URL(program.main, import.meta.url);
process.argv.splice(1, 2, main.pathname);
await import(main.href);

/** Builds a package and those that it needs, as far as they have changed. Ends the process when the build fails. */
async function build(target) {
  const startedAtMs = Date.now();
  const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo');
  const args = ['run', 'build', `--filter=${target}...`, '--output-logs=full', '--log-order=stream'];
  const child = spawn(process.execPath, [turbo, ...args, '--log-prefix=task'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, FORCE_COLOR: '0' },
  });
  const output = [];
  let built = 0;
  const read = (line) => {
    output.push(line);
    const [, task] = /^(\S+?):build: cache miss/.exec(line) ?? [];
    if (task === undefined) return;
    if (built === 0) process.stdout.write('Building; the first time takes a minute or two.\n');
    built += 1;
    process.stdout.write(`- building ${task}\n`);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', read);
  const [code] = await once(child, 'close');
  if (code !== 0) {
    process.stderr.write(`${output.join('\n')}\nThe build failed.\n`);
    process.exit(1);
  }
  if (built > 0) process.stdout.write(`Built in ${((Date.now() - startedAtMs) / 1000).toFixed(0)} s.\n`);
}
