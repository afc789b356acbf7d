import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import colors from 'picocolors';
import { runDemo, type DemoResult } from '../demo/run-demo.js';
import { demoTables } from '../demo/tables.js';
import { Progress } from '../demo/transfer.js';
import { bootEnvironment, type Environment } from '../environment/environment.js';
import { DEFAULT_ENVIRONMENT_OPTIONS } from '../bridge/options.js';
import { demoCommand } from './commands.js';
import { prepareTerminal, print, untilInterrupted } from './terminal.js';

/** Lines are redrawn only on a terminal with more rows than this. */
const REDRAWN_LINES = 7;
const HOLD_SECONDS = 3;

/** Runs the demo and exits, with code 0 when every transfer completed and every balance is right. */
export async function startDemo(): Promise<never> {
  prepareTerminal();
  demoCommand().parse();
  const startedAtMs = Date.now();
  const elapsed = () => `${((Date.now() - startedAtMs) / 1000).toFixed(0)} s`;
  const directory = mkdtempSync(join(tmpdir(), 'causeway-demo-'));
  const interrupted = untilInterrupted();
  let environment: Environment | undefined;
  let failure: string | null = null;
  try {
    const options = { ...DEFAULT_ENVIRONMENT_OPTIONS, directory, holdSeconds: HOLD_SECONDS };
    environment = await bootEnvironment(options, (step) => print(`- ${step}`), interrupted);
    print(`- the bridge is running after ${elapsed()}\n`);
    const progress = new Progress(process.stdout.isTTY && process.stdout.rows > REDRAWN_LINES, print);
    const running = runDemo(environment, progress, (line) => print(colors.bold(line)));
    const result = await Promise.race([running, failed(environment, interrupted)]);
    failure = report(result);
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
    if (failure.startsWith('ENOSPC'))
      failure = `The disk of ${tmpdir()} is full. Free some space, or set TMPDIR to another folder. (${failure})`;
  } finally {
    await environment?.stop();
  }
  if (failure === null) {
    rmSync(directory, { recursive: true, force: true });
    print(`The demo took ${elapsed()}.`);
  } else if (interrupted.aborted) {
    rmSync(directory, { recursive: true, force: true });
    process.stderr.write(`${colors.red(failure)}\n`);
  } else {
    process.stderr.write(`${colors.red(`${failure}\nThe logs are in ${join(directory, 'logs')}`)}\n`);
  }
  process.exit(failure === null ? 0 : 1);
}

/** Prints the result, and returns a sentence when an amount is wrong. */
function report(result: DemoResult): string | null {
  const { solvency, differences, holdingsChecked } = result;
  print(`\n${demoTables(result)}\n`);
  for (const { line, expected, actual } of differences) print(colors.red(`${line} is ${actual}; expected ${expected}`));
  const unbacked = solvency.filter(({ locked, minted }) => locked !== minted);
  for (const { asset } of unbacked) print(colors.red(`${asset} on the partner chain is not exactly backed`));
  if (differences.length + unbacked.length > 0) return 'At least one amount is wrong; see above.';
  print(colors.green(`All ${holdingsChecked} balances are right to the last unit.`));
  return null;
}

async function failed(environment: Environment, interrupted: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    interrupted.addEventListener('abort', () => reject(new Error('Interrupted')), { once: true });
    void environment.processes.broken.then((how) => reject(new Error(how)));
  });
}
