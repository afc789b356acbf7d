import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveEthereumState } from './ethereum-state.js';

// The wrapper process of anvil: saves its state every few seconds, and ends it when the process above ends.
// Arguments: a port, the state file, then anvil's own arguments. Sends anvil's process id over IPC, then problems.

const SAVE_EVERY_MS = 2_000;
/** A state of many blocks takes long to write; most of the time must remain for the chain. */
const PAUSE_PER_SAVE = 10;

const [port, stateFile, ...anvilArguments] = process.argv.slice(2);
if (port === undefined || stateFile === undefined) throw new Error('usage: anvil.js <port> <state file> [flags]');
const url = `http://127.0.0.1:${port}`;

const require = createRequire(import.meta.url);
const extension = process.platform === 'win32' ? '.exe' : '';
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
const home = createRequire(require.resolve('@foundry-rs/anvil/package.json'));
const folder = dirname(home.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/package.json`));

const saved = existsSync(stateFile) ? ['--load-state', stateFile] : [];
// Old states of the chain go there, by default below HOME. A run does not read those of the last one.
const states = join(dirname(stateFile), 'ethereum-states');
rmSync(states, { recursive: true, force: true });
const flags = ['--host', '127.0.0.1', '--port', port, '--cache-path', states, ...saved, ...anvilArguments];
const anvil = spawn(join(folder, 'bin', `anvil${extension}`), flags, { stdio: ['ignore', 'inherit', 'inherit'] });
const ending = new AbortController();
// With a full disk the log cannot be written; that must not end Ethereum.
process.stderr.on('error', () => undefined);

let hasAnswered = false;
let isSaved = true;
let saving: Promise<void> = Promise.resolve();

anvil.once('error', (error) => {
  report(`anvil did not start: ${error.message}`);
  process.exit(1);
});
anvil.once('exit', (_, signal) => {
  if (ending.signal.aborted) process.exit(isSaved ? 0 : 1);
  // anvil has written the reason to the log itself, unless a signal ended it.
  if (signal !== null) report(`anvil ended with ${signal}`);
  process.exit(1);
});
process.once('disconnect', () => void end());
process.once('SIGTERM', () => void end());
// The process above may have ended while this one was starting.
if (process.send !== undefined && !process.connected) void end();
else process.send?.({ pid: anvil.pid });

while (!ending.signal.aborted) {
  await sleep(hasAnswered ? SAVE_EVERY_MS : 100);
  if (ending.signal.aborted) break;
  hasAnswered ||= await answers();
  if (!hasAnswered) continue;
  const startedAtMs = Date.now();
  await save(false);
  await sleep(PAUSE_PER_SAVE * (Date.now() - startedAtMs));
}

async function end(): Promise<void> {
  if (ending.signal.aborted) return;
  ending.abort();
  if (hasAnswered) await save(true);
  anvil.kill('SIGTERM');
}

/** One after the other: two at the same time would write the same file. */
function save(stopMining: boolean): Promise<void> {
  saving = saving.then(async () => {
    try {
      await saveEthereumState(url, stateFile ?? '', { stopMining });
      isSaved = true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (isSaved) report(`the state of Ethereum is not saved, and its blocks would be lost: ${reason}`);
      isSaved = false;
    }
  });
  return saving;
}

/** Over IPC as well: with a full disk the log takes nothing. */
function report(problem: string): void {
  if (process.connected) process.send?.({ problem });
  process.stderr.write(`Error: ${problem}\n`);
}

async function answers(): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}
