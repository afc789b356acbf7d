import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveEthereumState } from './ethereum-state.js';

// The wrapper process of anvil: saves its state every few seconds, and ends it when the parent process ends.
// Arguments: a port, the state file, then anvil's own arguments. Sends anvil's process id over IPC, then problems.

const SAVE_EVERY_MS = 2_000;
/** Pause after a save, as a multiple of its duration, so that the chain has most of the time. */
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
// anvil stores old states here, by default below HOME. A run does not need those of the last run.
const states = join(dirname(stateFile), 'ethereum-states');
rmSync(states, { recursive: true, force: true });
const flags = ['--host', '127.0.0.1', '--port', port, '--cache-path', states, ...saved, ...anvilArguments];
const anvil = spawn(join(folder, 'bin', `anvil${extension}`), flags, { stdio: ['ignore', 'inherit', 'inherit'] });
const ending = new AbortController();
// On a full disk the log cannot be written, which must not end Ethereum.
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
  // anvil logs its own reason, unless a signal ended it.
  if (signal !== null) report(`anvil ended with ${signal}`);
  process.exit(1);
});
process.once('disconnect', () => void end());
process.once('SIGTERM', () => void end());
// The parent process can have ended during the start.
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

/** One save at a time, since all write the same file. */
function save(stopMining: boolean): Promise<void> {
  saving = saving.then(async () => {
    try {
      await saveEthereumState(url, stateFile ?? '', { stopMining });
      isSaved = true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (isSaved) report(`Ethereum's state cannot be saved, so its newest blocks would be lost: ${reason}`);
      isSaved = false;
    }
  });
  return saving;
}

/** Also over IPC, since the log cannot be written on a full disk. */
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
