import { Command, InvalidArgumentError } from 'commander';
import type { EnvironmentOptions } from '../bridge/options.js';

// Imports packages and types only: `scripts/run.mjs` loads this file before anything is built, to answer --help and to
// refuse wrong flags immediately.

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
  readonly faucet?: boolean;
  readonly json?: boolean;
}

/** As the contracts allow. */
const MOST_ATTESTERS = 9;

/** The last port from which five consecutive ones exist, rounded. */
const LAST_PORT_BASE = 65_000;
/** As the gateway allows. */
const MOST_CONFIRMATIONS = 1_000_000;

/** The command line of `demo`. */
export function demoCommand(): Command {
  return new Command('demo').description(
    'Boots the whole bridge, moves ETH, USDC and XCN both ways, and checks every balance to the last unit. ' +
      'Takes about a minute after the build.',
  );
}

/** The command line of `stack`, or of another program that runs one. */
export function stackCommand(defaults: EnvironmentOptions, name = 'stack'): Command {
  const { holdSeconds, adminDelaySeconds, ethereumBlockSeconds, partnerBlockSeconds, directory } = defaults;
  const { ethereumConfirmations, partnerConfirmations } = defaults;
  return new Command(name)
    .description(
      'Runs the whole bridge on this machine until Ctrl-C: two chains, PostgreSQL, contracts, relayer, API and console. ' +
        'The next run continues with the same chains and database.',
    )
    .option('--hold-seconds <s>', 'security hold of withdrawals', seconds(0), holdSeconds)
    .option(
      '--admin-delay-seconds <s>',
      "delay of the contracts' admin timelock; 0: none",
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
      'an empty PostgreSQL database of your own, such as "$DATABASE_URL" (default: an embedded one)',
      databaseUrl,
    )
    .option('--directory <dir>', 'folder of the state, the logs and stack.json', directory)
    .option('--fresh', 'begin with new chains and a new database; the old state is moved aside')
    .option(
      defaults.faucet ? '--no-faucet' : '--faucet',
      `${defaults.faucet ? 'run no' : 'also run a'} faucet, which gives coins and test tokens of both chains to any account`,
    )
    .option('--attesters <n>', 'attesters that judge each delivery, in processes of their own', attesters, 0)
    .option('--threshold <n>', 'how many of them must sign: more than half (default: the majority)', attesters)
    .option('--json', 'print one line of JSON when the bridge runs: addresses, keys and URLs, for programs');
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
      'Runs the bridge on this machine as it would be deployed, each process under a user and a database role of its ' +
        'own: gateways and APIs behind a balancer, two relayers, both chains, and PostgreSQL, Redis, HAProxy, ' +
        "Prometheus and Alertmanager from Debian's packages. Makes a transfer, and shows what runs as whom. " +
        'Run it as root, so that the users can differ; it installs the packages that are missing. Where buildah and ' +
        'mmdebstrap are installed, it builds the images of the services, and runs each in its image.',
    )
    .requiredOption('--try', 'confirms that this machine is for a trial')
    .option(
      '--directory <dir>',
      'folder of everything (default: a temporary one, which a run without failures removes)',
    )
    .option('--bundles', 'build no images')
    .option('--stop', 'end after the check, and not at Ctrl-C');
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
 * How many of the attesters must sign, by the flags.
 *
 * @throws Error when that is not more than half of them.
 */
export function readThreshold({ attesters: members = 0, threshold }: StackFlags): number {
  const majority = members === 0 ? 0 : Math.floor(members / 2) + 1;
  if (threshold === undefined) return majority;
  if (threshold < majority || threshold > members)
    throw new Error(`--threshold must be from ${majority} to ${members}, for ${members} attesters, not ${threshold}`);
  return threshold;
}

function seconds(least: number) {
  return (text: string) => {
    const value = Number(text);
    if (!Number.isFinite(value) || value < least)
      throw new InvalidArgumentError(`Expected a number of seconds from ${least}.`);
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
