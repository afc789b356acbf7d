import { bootEnvironment } from '../environment/environment.js';
import { DEFAULT_ENVIRONMENT_OPTIONS, type EnvironmentOptions } from '../environment/options.js';
import { stackCommand, type StackFlags } from './commands.js';
import { summarize } from './summary.js';
import { prepareTerminal, print, untilInterrupted } from './terminal.js';
import { printTransfers } from './transfer-feed.js';

/** Runs the stack until a signal or until one of its parts ends, then exits. */
export async function startStack(): Promise<never> {
  prepareTerminal();
  const options = toOptions(stackCommand(DEFAULT_ENVIRONMENT_OPTIONS).parse().opts<StackFlags>());
  const interrupted = untilInterrupted();
  try {
    const environment = await bootEnvironment(options, (step) => print(`- ${step}`), interrupted);
    print(`${summarize(environment.stack, options.directory)}\n`);
    const feed = new AbortController();
    const { databaseUrl } = environment.stack;
    const printing = printTransfers(databaseUrl, print, feed.signal).catch((error: unknown) => {
      // The environment ends with the database, and says why.
      if (!feed.signal.aborted) print(`Transfers are not shown any more: ${String(error)}`);
    });
    const end = await Promise.race([aborted(interrupted), environment.broken]);
    if (end !== null) process.stderr.write(`\n${end}\n`);
    print('\nStopping.');
    feed.abort();
    await printing;
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
    ethereumBlockSeconds: flags.ethBlockSeconds,
    partnerBlockSeconds: flags.partnerBlockSeconds,
    ...(flags.portBase === undefined ? {} : { portBase: flags.portBase }),
    ...(flags.databaseUrl === undefined ? {} : { databaseUrl: flags.databaseUrl }),
    fresh: flags.fresh ?? false,
    firstDeposits: true,
  };
}

async function aborted(signal: AbortSignal): Promise<null> {
  if (signal.aborted) return null;
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
}
