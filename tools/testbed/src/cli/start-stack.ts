import { setTimeout as sleep } from 'node:timers/promises';
import colors from 'picocolors';
import { bootEnvironment, type Environment } from '../environment/environment.js';
import type { EnvironmentOptions } from '../bridge/options.js';
import type { StackFile } from '../environment/stack-file.js';
import { readThreshold, stackCommand, type StackFlags } from './commands.js';
import { describeMovedPorts, summarize } from './summary.js';
import { prepareTerminal, print, printError, untilInterrupted } from './terminal.js';
import { printTransfers } from './transfer-feed.js';

const FEED_PATIENCE_MS = 2_000;

/** A program that runs a stack. */
export interface StackProgram {
  readonly name: string;
  readonly defaults: EnvironmentOptions;
  /** Starts a server in this process that controls the stack, and returns its address. */
  readonly serveControl?: (environment: Environment) => Promise<string>;
}

/** Runs the stack until a signal or until one of its parts ends, then exits. */
export async function startStack({ name, defaults, serveControl }: StackProgram): Promise<never> {
  prepareTerminal();
  const flags = stackCommand(defaults, name).parse().opts<StackFlags>();
  const isForPeople = flags.json !== true;
  const interrupted = untilInterrupted();
  try {
    const options = toOptions(flags, defaults);
    const onStep = (step: string) => (isForPeople ? print : printError)(`- ${step}`);
    const environment = await bootEnvironment(options, onStep, interrupted);
    const controlUrl = await serveControl?.(environment);
    if (controlUrl !== undefined) environment.writeControlUrl(controlUrl);
    const stack = { ...environment.stack, ...(controlUrl === undefined ? {} : { controlUrl }) };
    const feed = new AbortController();
    if (isForPeople) describe(stack, options);
    else print(JSON.stringify(stack));
    const printing = isForPeople ? feedTransfers(environment, feed.signal) : Promise.resolve();
    const end = await Promise.race([aborted(interrupted), environment.processes.broken]);
    if (end !== null) printError(`\n${end}`);
    if (isForPeople) print('\nStopping.');
    feed.abort();
    await Promise.race([printing, sleep(FEED_PATIENCE_MS)]);
    let isClean = end === null;
    await environment.stop((problem) => {
      isClean = false;
      printError(problem);
    });
    process.exit(isClean ? 0 : 1);
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}

function describe(stack: StackFile, { directory, portBase }: EnvironmentOptions): void {
  print(`${summarize(stack, directory)}\n`);
  const moved = portBase === undefined ? describeMovedPorts(stack) : null;
  if (moved !== null) print(`${colors.yellow(colors.bold(moved))}\n`);
}

async function feedTransfers({ stack, processes }: Environment, signal: AbortSignal): Promise<void> {
  try {
    await printTransfers(stack.databaseUrl, print, signal);
  } catch (error) {
    // If the database has ended, the environment ends too and reports the reason.
    await Promise.race([processes.broken, sleep(FEED_PATIENCE_MS)]);
    if (!signal.aborted) print(`The list of transfers stopped: ${String(error)}`);
  }
}

function toOptions(flags: StackFlags, defaults: EnvironmentOptions): EnvironmentOptions {
  return {
    ...defaults,
    directory: flags.directory,
    holdSeconds: flags.holdSeconds,
    adminDelaySeconds: flags.adminDelaySeconds,
    ethereumBlockSeconds: flags.ethBlockSeconds,
    partnerBlockSeconds: flags.partnerBlockSeconds,
    ethereumConfirmations: flags.ethConfirmations,
    partnerConfirmations: flags.partnerConfirmations,
    ...(flags.portBase === undefined ? {} : { portBase: flags.portBase }),
    ...(flags.databaseUrl === undefined ? {} : { databaseUrl: flags.databaseUrl }),
    attesters: flags.attesters ?? 0,
    threshold: readThreshold(flags),
    watchtower: flags.watchtower ?? false,
    fresh: flags.fresh ?? false,
    faucet: flags.faucet ?? false,
  };
}

async function aborted(signal: AbortSignal): Promise<null> {
  if (signal.aborted) return null;
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
}
