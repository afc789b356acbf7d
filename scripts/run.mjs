import { fileURLToPath } from 'node:url';
import { chaosCommand } from '../e2e/chaos/command.ts';
import { drillCommand } from '../e2e/drills/command.ts';
import { demoCommand, servicesCommand, stackCommand } from '../tools/testbed/src/cli/commands.ts';
import { DEFAULT_ENVIRONMENT_OPTIONS } from '../tools/testbed/src/bridge/options.ts';
import { build } from './build.mjs';

// Usage: node scripts/run.mjs <demo|stack|services|faucet|admin|gateway|chaos|drill> [flags]. Builds with a line on standard
// error for each package, and starts the program in this process. All except the faucet, the operators' commands and
// the gateway answer --help and refuse wrong flags before the build.

const TESTBED = '@causeway/testbed';
const cli = (name) => `../tools/testbed/dist/cli/${name}.js`;
const PROGRAMS = {
  demo: { packages: [TESTBED], main: cli('demo'), command: demoCommand() },
  stack: {
    packages: [TESTBED, '@causeway/admin', '@causeway/web'],
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
  drill: { packages: ['@causeway/e2e'], main: '../e2e/drills/main.ts', command: drillCommand() },
};

const [name, ...flags] = process.argv.slice(2);
const program = PROGRAMS[name];
if (program === undefined) throw new Error(`usage: run.mjs <${Object.keys(PROGRAMS).join('|')}> [flags]`);
program.command?.parse(flags, { from: 'user' });
if (!(await build('build', program.packages))) process.exit(1);
const main = new URL(program.main, import.meta.url);
process.argv.splice(1, 2, fileURLToPath(main));
await import(main.href);
