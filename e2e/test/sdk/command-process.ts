import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestEnvironment } from '../temporary-environment.js';

const require = createRequire(import.meta.url);
const MAIN = join(dirname(require.resolve('@causeway/cli/package.json')), 'dist/main.js');

/** An object that a command printed. */
export type Json = Readonly<Record<string, unknown>>;

/** How a command ended. */
interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Parses the objects that a command printed, one a line. */
export const toLines = (output: string): readonly Json[] =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);

/** Finds the first object of an event. */
export const findEvent = (lines: readonly Json[], event: string): Json | undefined =>
  lines.find((line) => line['event'] === event);

export type Variables = Readonly<Record<string, string>>;

/** The built command as its users run it, without a terminal. */
export class CommandLine {
  readonly folder = mkdtempSync(join(tmpdir(), 'causeway-cli-'));

  constructor(private readonly environment: TestEnvironment) {
    const program = join(this.folder, 'causeway');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
  }

  start(words: readonly string[], variables: Variables = {}, input = ''): Running {
    return this.spawn(join(this.folder, 'causeway'), words, variables, input);
  }

  async run(words: readonly string[], variables: Variables = {}, input = ''): Promise<Ended> {
    return this.start(words, variables, input).ended;
  }

  /** Runs shell lines that must all succeed, in the folder. */
  async runShell(lines: string): Promise<Ended> {
    return this.spawn('sh', ['-euc', lines], {}, '').ended;
  }

  /** Runs a command that must succeed, and returns its objects. */
  async read(words: readonly string[], variables: Variables = {}, input = ''): Promise<readonly Json[]> {
    const { code, stdout, stderr } = await this.run([...words, '--json'], variables, input);
    if (code !== 0 || stderr !== '') throw new Error(`causeway ${words.join(' ')} ended with ${code}: ${stderr}`);
    return toLines(stdout);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private spawn(program: string, words: readonly string[], variables: Variables, input: string): Running {
    const { apiUrl, ethereum, partner } = this.environment.stack;
    const env = {
      PATH: `${this.folder}:${process.env['PATH']}`,
      CAUSEWAY_API: apiUrl,
      CAUSEWAY_ETHEREUM_RPC: ethereum.rpcUrl,
      CAUSEWAY_PARTNER_RPC: partner.rpcUrl,
      XDG_STATE_HOME: join(this.folder, 'state'),
      ...variables,
    };
    const child = spawn(program, words, { env, cwd: this.folder });
    child.stdin.end(input);
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    const code = new Promise<number | null>((resolve) => child.once('close', resolve));
    return {
      child,
      ended: Promise.all([code, output]).then(([end, [stdout, stderr]]) => ({ code: end, stdout, stderr })),
    };
  }
}
