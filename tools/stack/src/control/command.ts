import { startStack } from '@causeway/testbed/program';
import { DEFAULT_ENVIRONMENT_OPTIONS, PARTNER_STACK_OPTIONS } from '@causeway/testbed';
import { installProblem } from './install-problem.js';
import { serveControl } from './server.js';

/** Runs `causeway-stack` until a signal. */
export async function runCommand(): Promise<never> {
  const asksForHelp = process.argv.some((word) => word === '--help' || word === '-h');
  const problem = asksForHelp ? null : installProblem();
  const defaults = { ...DEFAULT_ENVIRONMENT_OPTIONS, ...PARTNER_STACK_OPTIONS };
  if (problem === null) return startStack({ name: 'causeway-stack', defaults, serveControl });
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
