import { Command, InvalidArgumentError } from 'commander';
import type { EnvironmentOptions } from '../bridge/options.js';

// Imports packages and types only: `scripts/run.mjs` loads this file before the build, to answer --help and to refuse
// wrong flags immediately.

/** The flags of `stack`, as commander names them. */
export interface StackFlags {
  readonly directory: string;
  readonly holdSeconds: number;
  readonly adminDelaySeconds: number;
  readonly ethBlockSeconds: number;
  readonly partnerBlockSeconds: number;
  readonly ethConfirmations: number;
  readonly partnerConfirmations: number;
  readonly portBase?: number;
  readonly databaseUrl?: string;
  readonly fresh?: boolean;
  readonly attesters?: number;
  readonly threshold?: number;
  readonly watchtower?: boolean;
  readonly faucet?: boolean;
  readonly json?: boolean;
}

/** The contracts' limit. */
const MOST_ATTESTERS = 9;

/** Leaves room for five consecutive ports. */
const LAST_PORT_BASE = 65_000;
/** The gateway's limit. */
const MOST_CONFIRMATIONS = 1_000_000;

/** The command line of `demo`. */
export function demoCommand(): Command {
  return new Command('demo').description(
    'Starts the whole bridge, moves ETH, USDC and XCN both ways, and checks every balance to the last unit. ' +
      'It takes about a minute after the build.',
  );
}

/** The command line of `stack`, or of another program that runs one. */
export function stackCommand(defaults: EnvironmentOptions, name = 'stack'): Command {
  const { holdSeconds, adminDelaySeconds, ethereumBlockSeconds, partnerBlockSeconds, directory } = defaults;
  const { ethereumConfirmations, partnerConfirmations } = defaults;
  return new Command(name)
    .description(
      'Runs the whole bridge on this machine until Ctrl-C: two chains, PostgreSQL, contracts, relayer, API, the page ' +
        'for people and the console. The next run continues with the same chains and database.',
    )
    .option('--hold-seconds <s>', 'security hold of withdrawals', seconds(0), holdSeconds)
    .option(
      '--admin-delay-seconds <s>',
      "delay of the contracts' admin timelock; 0 for no timelock",
      seconds(0),
      adminDelaySeconds,
    )
    .option('--eth-block-seconds <s>', 'time between Ethereum blocks', seconds(1), ethereumBlockSeconds)
    .option('--partner-block-seconds <s>', 'time between partner-chain blocks', seconds(1), partnerBlockSeconds)
    .option('--eth-confirmations <n>', 'blocks until a transaction on Ethereum is final', count, ethereumConfirmations)
    .option('--partner-confirmations <n>', 'the same on the partner chain', count, partnerConfirmations)
    .option(
      '--port-base <port>',
      'first of four consecutive ports, of five with --faucet (default: 8545, 8546, 3000 to 3002, or free ones)',
      port,
    )
    .option(
      '--database-url <url>',
      'an empty PostgreSQL database, such as "$DATABASE_URL" (default: an embedded server)',
      databaseUrl,
    )
    .option('--directory <dir>', 'folder of the state, the logs and stack.json', directory)
    .option('--fresh', 'start with new chains and a new database, and move the old state aside')
    .option(
      defaults.faucet ? '--no-faucet' : '--faucet',
      `${defaults.faucet ? 'run no' : 'also run a'} faucet that gives coins and test tokens of both chains to any account`,
    )
    .option('--attesters <n>', 'number of attesters that check each delivery, each in its own process', attesters, 0)
    .option(
      '--threshold <n>',
      'how many attesters must sign, more than half (default: the smallest majority)',
      attesters,
    )
    .option('--watchtower', 'also run a watchtower, which pauses the contracts when a delivery is not owed')
    .option('--json', 'print addresses, keys and URLs as one line of JSON when the bridge is running');
}

/** The flags of `services`, as commander names them. */
export interface ServicesFlags {
  readonly try: boolean;
  readonly directory?: string;
  readonly bundles?: boolean;
  readonly stop?: boolean;
}

/** The command line of `services`. */
export function servicesCommand(): Command {
  return new Command('services')
    .description(
      'Runs the bridge on this machine as it would be deployed, each process with its own user and database ' +
        'role: gateways and APIs behind a load balancer, two relayers, both chains, and PostgreSQL, Redis, HAProxy, ' +
        "Prometheus and Alertmanager from Debian's packages. It makes a transfer and lists each process with its user. " +
        'Run it as root, since it switches users and installs missing packages. With buildah and mmdebstrap ' +
        'installed, it builds the images of the services, and runs each service in its image.',
    )
    .requiredOption('--try', 'confirm that this machine is for a trial')
    .option(
      '--directory <dir>',
      'folder of all files (default: a temporary folder, removed after a run without failures)',
    )
    .option('--bundles', 'run the services without building images')
    .option('--stop', 'stop after the check instead of at Ctrl-C');
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > MOST_CONFIRMATIONS)
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${MOST_CONFIRMATIONS}.`);
  return value;
}

function attesters(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > MOST_ATTESTERS)
    throw new InvalidArgumentError(`Expected a whole number from 0 to ${MOST_ATTESTERS}.`);
  return value;
}

/**
 * Returns how many attesters must sign.
 *
 * @throws Error unless it is more than half of them.
 */
export function readThreshold({ attesters: members = 0, threshold }: StackFlags): number {
  const majority = members === 0 ? 0 : Math.floor(members / 2) + 1;
  if (threshold === undefined) return majority;
  if (threshold < majority || threshold > members)
    throw new Error(`--threshold is ${threshold}, but must be from ${majority} to ${members} for ${members} attesters`);
  return threshold;
}

function seconds(least: number) {
  return (text: string) => {
    const value = Number(text);
    if (!Number.isFinite(value) || value < least)
      throw new InvalidArgumentError(`Expected a number of seconds of at least ${least}.`);
    return value;
  };
}

function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > LAST_PORT_BASE)
    throw new InvalidArgumentError(`Expected a port from 1 to ${LAST_PORT_BASE}.`);
  return value;
}

function databaseUrl(text: string): string {
  const hasName = URL.canParse(text) && /^postgres(ql)?:\/\/.+\/.+/.test(text);
  if (!hasName) throw new InvalidArgumentError('Expected a URL like postgresql://user:password@127.0.0.1:5432/name.');
  return text;
}
