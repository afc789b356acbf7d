import { setTimeout as sleep } from 'node:timers/promises';
import colors from 'picocolors';
import { bootEnvironment } from '../environment/environment.js';
import { DEFAULT_ENVIRONMENT_OPTIONS, type EnvironmentOptions } from '../environment/options.js';
import { stackCommand, type StackFlags } from './commands.js';
import { describeMovedPorts, summarize } from './summary.js';
import { prepareTerminal, print, untilInterrupted } from './terminal.js';
import { printTransfers } from './transfer-feed.js';

const FEED_PATIENCE_MS = 2_000;
const RELAYERS = ['relayer-1', 'relayer-2'];

/** Runs the stack until a signal or until one of its parts ends, then exits. */
export async function startStack(): Promise<never> {
  prepareTerminal();
  const options = toOptions(stackCommand(DEFAULT_ENVIRONMENT_OPTIONS).parse().opts<StackFlags>());
  const interrupted = untilInterrupted();
  try {
    const environment = await bootEnvironment(options, (step) => print(`- ${step}`), interrupted);
    print(`${summarize(environment.stack, options.directory)}\n`);
    const moved = options.portBase === undefined ? describeMovedPorts(environment.stack) : null;
    if (moved !== null) print(`${colors.yellow(colors.bold(moved))}\n`);
    const feed = new AbortController();
    const { databaseUrl } = environment.stack;
    const printing = printTransfers(databaseUrl, print, feed.signal).catch(async (error: unknown) => {
      // When the database has ended, the environment ends as well, and says why.
      await Promise.race([environment.broken, sleep(FEED_PATIENCE_MS)]);
      if (!feed.signal.aborted) print(`Transfers are not shown any more: ${String(error)}`);
    });
    const end = await Promise.race([aborted(interrupted), environment.broken]);
    if (end !== null) process.stderr.write(`\n${end}\n`);
    print('\nStopping.');
    feed.abort();
    await Promise.race([printing, sleep(FEED_PATIENCE_MS)]);
    let isClean = end === null;
    await environment.stop((problem) => {
      isClean = false;
      process.stderr.write(`${problem}\n`);
    });
    process.exit(isClean ? 0 : 1);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

function toOptions(flags: StackFlags): EnvironmentOptions {
  return {
    ...DEFAULT_ENVIRONMENT_OPTIONS,
    directory: flags.directory,
    holdSeconds: flags.holdSeconds,
    adminDelaySeconds: flags.adminDelaySeconds,
    ethereumBlockSeconds: flags.ethBlockSeconds,
    partnerBlockSeconds: flags.partnerBlockSeconds,
    ...(flags.portBase === undefined ? {} : { portBase: flags.portBase }),
    ...(flags.databaseUrl === undefined ? {} : { databaseUrl: flags.databaseUrl }),
    fresh: flags.fresh ?? false,
    faucet: flags.faucet ?? false,
    firstDeposits: true,
    relayers: RELAYERS,
  };
}

async function aborted(signal: AbortSignal): Promise<null> {
  if (signal.aborted) return null;
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
}
