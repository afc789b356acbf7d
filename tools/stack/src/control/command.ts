import { startStack } from '@causeway/testbed/program';
import { DEFAULT_ENVIRONMENT_OPTIONS } from '@causeway/testbed';
import { installProblem } from './install-problem.js';
import { serveControl } from './server.js';

/** As fast as possible while each status stays visible. A transfer takes seconds. */
const DEFAULTS = {
  ...DEFAULT_ENVIRONMENT_OPTIONS,
  holdSeconds: 2,
  ethereumConfirmations: 3,
  partnerConfirmations: 2,
  // A scenario empties the float by deposits, and the outflow limit allows 50 million an hour.
  floatXcn: 1_000_000,
  faucet: true,
} as const;

/** Runs `causeway-stack` until a signal. */
export async function runCommand(): Promise<never> {
  const asksForHelp = process.argv.some((word) => word === '--help' || word === '-h');
  const problem = asksForHelp ? null : installProblem();
  if (problem === null) return startStack({ name: 'causeway-stack', defaults: DEFAULTS, serveControl });
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
