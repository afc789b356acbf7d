import { fork, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';

/** A program of ours in a process of its own. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Resolves with a sentence when the process has ended, however it did. */
  readonly ended: Promise<string>;
  /** Resolves with the first message it sends over IPC. */
  readonly message: Promise<unknown>;
  /** Asks it to end and waits; after ten seconds it is killed. */
  readonly stop: () => Promise<void>;
  /** Ends it at once, as a power cut would. */
  readonly kill: () => Promise<void>;
}

/** What to start: a compiled module with its environment, and the file that takes what it prints. */
export interface ChildInput {
  readonly name: string;
  readonly module: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
}

const PATIENCE_MS = 10_000;

/**
 * Starts a Node program connected by an IPC channel. The programs of the project end when that channel closes, so they
 * never outlive the process that started them, even when that one is killed.
 */
export function startChild(input: ChildInput): Child {
  const log = createWriteStream(input.logFile, { flags: 'a' });
  const child: ChildProcess = fork(input.module, [...(input.args ?? [])], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...input.env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A terminal sends Ctrl-C to the whole group; the children are to be stopped in order instead.
    detached: true,
  });
  let lastLine = '';
  const keep = (chunk: Buffer) => {
    log.write(chunk);
    lastLine = chunk.toString().trim().split('\n').at(-1) ?? lastLine;
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      log.end();
      resolve(`${input.name} ended with ${signal ?? `code ${code}`}: ${lastLine} (log: ${input.logFile})`);
    });
    child.once('error', (error) => resolve(`${input.name} did not start: ${error.message}`));
  });
  const message = new Promise<unknown>((resolve) => child.once('message', resolve));
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    // The whole group at a kill: what the process started itself must go too.
    const killGroup = () => process.kill(-(child.pid ?? 0), 'SIGKILL');
    if (signal === 'SIGKILL') killGroup();
    else child.kill(signal);
    const timer = setTimeout(killGroup, PATIENCE_MS);
    await ended;
    clearTimeout(timer);
  };
  return {
    name: input.name,
    pid: child.pid ?? -1,
    ended,
    message,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}
