import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Stack, StackOptions } from './stack.js';
import { makeStack, StackError } from './client.js';

const COMMAND = fileURLToPath(new URL('cli.js', import.meta.url));
/** Suppresses Node's warning about WebAssembly. */
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning'];

/** A call fails a moment before the end of the stack is known. */
const END_PATIENCE_MS = 2_000;
const PROBLEM_LINES = 5;

/** The flag of each option. */
const FLAGS = {
  holdSeconds: 'hold-seconds',
  ethereumBlockSeconds: 'eth-block-seconds',
  partnerBlockSeconds: 'partner-block-seconds',
  ethereumConfirmations: 'eth-confirmations',
  partnerConfirmations: 'partner-confirmations',
  portBase: 'port-base',
  databaseUrl: 'database-url',
} as const satisfies Partial<Record<keyof StackOptions, string>>;

/**
 * Starts a whole bridge: two chains, PostgreSQL, contracts, relayer, API and faucet, each in its own process. They end
 * with `stop`, and with this process, however it ends.
 *
 * @throws StackError with the reason when a part does not start. No process is left running.
 * @example
 * ```ts
 * const stack = await startStack();
 * const { operation } = await stack.scenarios.reachStatus('COMPLETED');
 * await stack.stop();
 * ```
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'causeway-stack-'));
  const removeDirectory = () => {
    if (options.directory === undefined) rmSync(directory, { recursive: true, force: true });
  };
  const flags = Object.entries(FLAGS).flatMap(([name, flag]) => {
    const value = options[name as keyof typeof FLAGS];
    return value === undefined ? [] : [`--${flag}`, `${value}`];
  });
  const child = fork(COMMAND, ['--json', '--directory', directory, ...flags], {
    execArgv: NODE_FLAGS,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    // After its last lines, unlike `exit`.
    child.once('close', (code, signal) => resolve(`it ended with ${signal ?? `code ${code}`}`));
  });
  const problems: string[] = [];
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.startsWith('- ')) options.onStep?.(line.slice(2));
      else if (line !== '') problems.push(line);
    });
  }
  const facts = new Promise<string>((resolve) => {
    if (child.stdout !== null) createInterface({ input: child.stdout }).once('line', resolve);
  });
  const line = await Promise.race([facts, ended.then(() => null)]);
  if (line === null) {
    removeDirectory();
    throw new StackError(`The stack did not start: ${problems.join('\n') || (await ended)}`);
  }
  // The child must not keep a test runner from exiting.
  child.unref();
  child.channel?.unref();
  const { controlUrl } = JSON.parse(line) as { controlUrl: string };
  const stop = async () => {
    const isRunning = child.exitCode === null && child.signalCode === null;
    if (isRunning) {
      child.ref();
      child.kill('SIGTERM');
    }
    await ended;
    // The logs of a stack that ended by itself show the reason.
    if (isRunning) removeDirectory();
  };
  const findEnd = async () => {
    const how = await Promise.race([ended, sleep(END_PATIENCE_MS, null, { ref: false })]);
    return how === null ? null : problems.slice(-PROBLEM_LINES).join('\n') || how;
  };
  return makeStack(controlUrl, stop, findEnd);
}
