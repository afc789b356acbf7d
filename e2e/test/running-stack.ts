import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '@causeway/test-kit';
import { stackFileSchema, type StackFile } from '@causeway/testbed';

const CLI = fileURLToPath(new URL('../../packages/testbed/dist/cli/stack.js', import.meta.url));
/** A machine may be busy with other tests. */
const PATIENCE_MS = 120_000;

/** A stack that runs as a person started it. */
export interface RunningStack {
  readonly child: ChildProcess;
  /** Resolves with the exit code; null after a signal. */
  readonly exitCode: Promise<number | null>;
  /** Everything that it has printed. */
  readonly output: () => string;
  /** Resolves when the stack is ready. */
  readonly ready: () => Promise<StackFile>;
  /** The process id of one of its parts, by its name in `processes.json`. */
  readonly pidOf: (name: string) => number;
}

/** A directory for stacks that follow each other. */
export class StackDirectory {
  readonly path = mkdtempSync(join(tmpdir(), 'causeway-stack-'));
  private readonly running = new Set<ChildProcess>();

  constructor() {
    // As root, PostgreSQL runs as another user, who must be able to enter.
    chmodSync(this.path, 0o755);
  }

  /** Runs the command `stack` in this directory. */
  start(...flags: string[]): RunningStack {
    const child = spawn(process.execPath, [CLI, '--directory', this.path, '--hold-seconds', '2', ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    });
    this.running.add(child);
    let output = '';
    const keep = (chunk: Buffer) => void (output += chunk.toString());
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const exitCode = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
    const file = join(this.path, 'stack.json');
    const isReady = () => existsSync(file) && readStackFile(file).pid === child.pid;
    return {
      child,
      exitCode,
      output: () => output,
      ready: async () => {
        const ended = exitCode.then((code) => {
          throw new Error(`The stack ended with code ${code}:\n${output}`);
        });
        await Promise.race([waitUntil('the stack is ready', isReady, { timeoutMs: PATIENCE_MS }), ended]);
        return readStackFile(file);
      },
      pidOf: (name) => {
        const parts = JSON.parse(readFileSync(join(this.path, 'processes.json'), 'utf8')) as RecordedPart[];
        const part = parts.findLast((each) => each.name === name);
        if (part === undefined) throw new Error(`${name} does not run`);
        return part.pid;
      },
    };
  }

  /** Kills what still runs, and deletes the directory. */
  async remove(): Promise<void> {
    for (const child of this.running) child.kill('SIGKILL');
    await waitUntil('all parts have ended', () => this.parts().every(({ pid }) => !isAlive(pid)));
    rmSync(this.path, { recursive: true, force: true, maxRetries: 10 });
  }

  private parts(): RecordedPart[] {
    const file = join(this.path, 'processes.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RecordedPart[]) : [];
  }
}

interface RecordedPart {
  readonly name: string;
  readonly pid: number;
}

/** Whether a process exists. One that has ended but was not waited for does not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

function readStackFile(file: string): StackFile {
  return stackFileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}
