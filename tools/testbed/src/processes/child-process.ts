import { execFile, fork, spawn, type ChildProcess } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A running child process. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Resolves when the process has ended in any way. */
  readonly ended: Promise<ChildEnd>;
  readonly hasEnded: () => boolean;
  /** Resolves with the first message that the process sends over IPC. */
  readonly message: Promise<unknown>;
  /** Sends SIGTERM to the process and its children, and SIGKILL after ten seconds. Waits for the end. */
  readonly stop: () => Promise<void>;
  /** Sends SIGKILL to the process and its children. */
  readonly kill: () => Promise<void>;
}

/** How a process ended. */
export interface ChildEnd {
  readonly isClean: boolean;
  /** The name of the process, and its exit code or signal. */
  readonly how: string;
  /** One sentence with the last error line of the process and its log file. */
  readonly sentence: string;
}

/** A program to start, its environment, and the file for its output. */
export interface ChildInput {
  readonly name: string;
  /** Path of a compiled Node module, which gets an IPC channel, or of another program. */
  readonly module: string;
  readonly args?: readonly string[];
  /** User and group; by default those of this process. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Receives the `problem` field of IPC messages. */
  readonly onProblem: (problem: string) => void;
}

/** How a command ended. `output`: standard output, then standard error. */
export interface CommandResult {
  readonly code: number;
  readonly output: string;
}

const PATIENCE_MS = 10_000;
const POLL_MS = 50;
/** Node calls Prisma's WebAssembly import experimental. */
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning'];
/** Enough for a stack trace and the lines before it. */
const END_OF_LOG_BYTES = 16_384;
const PINO_ERROR_LEVEL = 50;

/**
 * Starts a program that never outlives this process, even after SIGKILL: our own programs end when their IPC channel
 * closes, and the system sends SIGTERM to others.
 */
export function startChild(input: ChildInput): Child {
  // The child writes to the file directly. A pipe would break when this process is killed, and lose the last lines.
  const log = openSync(input.logFile, 'a');
  const logStart = fstatSync(log).size;
  const args = [...(input.args ?? [])];
  const options = {
    env: { ...inherited('PATH', 'HOME', 'LOG_LEVEL'), ...input.env },
    // A terminal sends Ctrl-C and SIGHUP to its whole process group, but children must be stopped in order.
    detached: true,
    ...(input.user === undefined ? {} : { uid: input.user.uid, gid: input.user.gid }),
  };
  const child: ChildProcess = /\.[cm]?[jt]s$/.test(input.module)
    ? fork(input.module, args, { ...options, execArgv: NODE_FLAGS, stdio: ['ignore', log, log, 'ipc'] })
    : spawn('setpriv', ['--pdeathsig', 'SIGTERM', '--', input.module, ...args], {
        ...options,
        stdio: ['ignore', log, log],
      });
  closeSync(log);
  const pid = child.pid ?? -1;
  let problem: string | null = null;
  child.on('message', (message: { problem?: string } | null) => {
    if (typeof message?.problem !== 'string') return;
    problem = message.problem;
    input.onProblem(problem);
  });
  const ended = new Promise<ChildEnd>((resolve) => {
    child.once('exit', (code, signal) => {
      const how = `${input.name} ended with ${signal ?? `code ${code}`}`;
      const reason = problem ?? lastErrorLine(readEnd(input.logFile, logStart));
      const sentence = `${how}${reason === '' ? '' : `: ${reason}`} (log: ${input.logFile})`;
      resolve({ isClean: signal !== null || code === 0, how, sentence });
    });
    child.once('error', (error) => {
      const sentence = `${input.name} did not start: ${error.message}`;
      resolve({ isClean: false, how: sentence, sentence });
    });
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    // It did not start.
    if (child.pid === undefined) return;
    if (signal === 'SIGTERM' && !hasEnded()) child.kill('SIGTERM');
    // The process has ended unexpectedly, but its children may still run. PostgreSQL stops at SIGINT.
    else signalGroup(pid, signal === 'SIGTERM' ? 'SIGINT' : 'SIGKILL');
    const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), PATIENCE_MS);
    for (const deadline = Date.now() + PATIENCE_MS + 1_000; signalGroup(pid, 0) && Date.now() < deadline;) {
      await sleep(POLL_MS);
    }
    clearTimeout(timer);
    await ended;
  };
  return {
    name: input.name,
    pid,
    ended,
    hasEnded,
    message: new Promise<unknown>((resolve) => child.once('message', resolve)),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/**
 * Runs a compiled module until it ends.
 *
 * @param interruptAt sends SIGINT once standard error contains this text.
 * @returns its output and exit code; -1 when a signal ended it.
 */
export async function runCommand(
  module: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  interruptAt?: string,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const command = [...NODE_FLAGS, module, ...args];
    const child = execFile(process.execPath, command, { env: { ...env } }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: `${stdout}${stderr}` }),
    );
    let printed = '';
    let isInterrupted = interruptAt === undefined;
    child.stderr?.on('data', (text: string) => {
      printed += text;
      if (isInterrupted || !printed.includes(interruptAt ?? '')) return;
      isInterrupted = child.kill('SIGINT');
    });
  });
}

/**
 * Returns the line that says why a process ended: its last error line, else its last line.
 *
 * @param output its last output: plain lines, a stack trace of Node, or log records of pino.
 */
export function lastErrorLine(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(at |Emitted |Node\.js v|\^+$|[{}[\]]+$)/.test(line))
    .map(readLine);
  return (lines.findLast(({ isError }) => isError) ?? lines.at(-1))?.text ?? '';
}

function inherited(...names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Reads the end of a log file, from a position at the earliest. */
function readEnd(file: string, from: number): string {
  const log = openSync(file, 'r');
  try {
    const { size } = fstatSync(log);
    const start = Math.max(from, size - END_OF_LOG_BYTES);
    const buffer = Buffer.alloc(size - start);
    return buffer.toString('utf8', 0, readSync(log, buffer, 0, buffer.length, start));
  } finally {
    closeSync(log);
  }
}

function readLine(line: string): { text: string; isError: boolean } {
  const record = line.startsWith('{') ? parseRecord(line) : null;
  if (record === null) return { text: line, isError: /error\b|fatal|panic/i.test(line) };
  const text = [record.msg, record.err?.message].filter(Boolean).join(': ');
  return { text, isError: (record.level ?? 0) >= PINO_ERROR_LEVEL };
}

function parseRecord(line: string): { level?: number; msg?: string; err?: { message?: string } } | null {
  try {
    return JSON.parse(line) as object;
  } catch {
    // A truncated record, or a plain line.
    return null;
  }
}

/** Returns false when the process group does not exist. Signal 0 only checks that. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
