import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { demoCommand, stackCommand } from '../packages/testbed/src/cli/commands.ts';
import { DEFAULT_ENVIRONMENT_OPTIONS } from '../packages/testbed/src/environment/options.ts';

// Usage: node scripts/run.mjs <demo|stack> [flags]. Answers --help and refuses wrong flags before the build, then
// builds with one line for each package, and starts the command in this process.

const COMMANDS = { demo: demoCommand(), stack: stackCommand(DEFAULT_ENVIRONMENT_OPTIONS) };

const [name, ...flags] = process.argv.slice(2);
const command = COMMANDS[name];
if (command === undefined) throw new Error(`usage: run.mjs <${Object.keys(COMMANDS).join('|')}> [flags]`);
command.parse(flags, { from: 'user' });
await build();
const program = new URL(`../packages/testbed/dist/cli/${name}.js`, import.meta.url);
process.argv.splice(1, 2, program.pathname);
await import(program.href);

/** Builds the packages that the command needs and that have changed. Ends the process when the build fails. */
async function build() {
  const startedAtMs = Date.now();
  const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo');
  const args = ['run', 'build', '--filter=@causeway/testbed...', '--output-logs=full', '--log-order=stream'];
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
