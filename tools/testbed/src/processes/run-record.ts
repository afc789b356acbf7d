import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveEthereumState } from './ethereum-state.js';

/** An entry of `processes.json`. */
interface RecordedProcess {
  readonly name: string;
  readonly pid: number;
  /** Part of its command line, to recognize the process, since process ids are reused. */
  readonly command: string;
  /** The wrapper that ends it. When the wrapper is gone, the process is an orphan. */
  readonly wrapperPid?: number;
  /** For anvil: where to read its state, and the file to save it to. */
  readonly ethereum?: { readonly url: string; readonly stateFile: string };
}

const PATIENCE_MS = 20_000;
const POLL_MS = 100;

/**
 * The list of processes that use a directory, in its `processes.json`. After a crash, the next run waits for processes
 * that are still ending, and ends orphans, so that two runs never use the same chains and database.
 */
export class RunRecord {
  private readonly processes: RecordedProcess[] = [];

  private constructor(private readonly file: string) {}

  /**
   * Makes the directory and reserves it for this process.
   *
   * @throws Error naming the processes of another run that still use it.
   */
  static async open(directory: string, onStep: (step: string) => void): Promise<RunRecord> {
    mkdirSync(directory, { recursive: true });
    const file = join(directory, 'processes.json');
    if (existsSync(file)) await endEarlierRun(directory, readRecord(file), onStep);
    const record = new RunRecord(file);
    record.add({ name: 'stack', pid: process.pid, command: readCommandLine(process.pid) ?? '' });
    return record;
  }

  add(entry: RecordedProcess): void {
    this.processes.push(entry);
    writeFileSync(`${this.file}.part`, `${JSON.stringify(this.processes, null, 2)}\n`);
    renameSync(`${this.file}.part`, this.file);
  }

  /** Releases the directory once all processes have ended. */
  clear(): void {
    rmSync(this.file, { force: true });
  }
}

async function endEarlierRun(
  directory: string,
  processes: readonly RecordedProcess[],
  onStep: (step: string) => void,
): Promise<void> {
  const [stack, ...parts] = processes;
  if (stack !== undefined && isRunning(stack)) {
    throw new Error(
      `A stack is already running in ${directory} (process ${stack.pid}). Stop it, or use another --directory`,
    );
  }
  let running = parts.filter(isRunning);
  if (running.length === 0) return;
  onStep(`waiting for processes of the last run to end: ${running.map(label).join(', ')}`);
  const signalled = new Set<number>();
  for (const deadline = Date.now() + PATIENCE_MS; running.length > 0 && Date.now() < deadline;) {
    for (const part of running.filter(({ pid, wrapperPid }) => isOrphan(wrapperPid, parts) && !signalled.has(pid))) {
      signalled.add(part.pid);
      onStep(`stopping ${label(part)}`);
      if (part.ethereum !== undefined) await saveOrphan(part.ethereum, onStep);
      // Both anvil and PostgreSQL shut down cleanly at SIGINT.
      process.kill(part.pid, 'SIGINT');
    }
    await sleep(POLL_MS);
    running = running.filter(isRunning);
  }
  if (running.length === 0) return;
  throw new Error(
    `Processes of the last run still use ${directory}: ${running.map(label).join(', ')}. ` +
      `Stop them with: kill ${running.map(({ pid }) => pid).join(' ')}`,
  );
}

function isOrphan(wrapperPid: number | undefined, parts: readonly RecordedProcess[]): boolean {
  const wrapper = parts.find(({ pid }) => pid === wrapperPid);
  return wrapper !== undefined && !isRunning(wrapper);
}

async function saveOrphan({ url, stateFile }: { url: string; stateFile: string }, onStep: (step: string) => void) {
  try {
    await saveEthereumState(url, stateFile, { stopMining: true });
  } catch (error) {
    onStep(`Ethereum's last blocks could not be saved: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function label({ name, pid }: RecordedProcess): string {
  return `${name} (process ${pid})`;
}

function readRecord(file: string): RecordedProcess[] {
  return JSON.parse(readFileSync(file, 'utf8')) as RecordedProcess[];
}

function isRunning({ pid, command }: RecordedProcess): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists, but belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return readCommandLine(pid)?.includes(command) ?? true;
}

/** Returns a process's command line: empty when it has ended, null where the system does not show it. */
function readCommandLine(pid: number): string | null {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    if (process.platform === 'win32') return null;
    return execFileSync('ps', ['-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' });
  } catch {
    // The process has just ended.
    return '';
  }
}
