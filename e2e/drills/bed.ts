import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  bootEnvironment,
  DEFAULT_ENVIRONMENT_OPTIONS,
  type Environment,
  type EnvironmentOptions,
} from '@causeway/testbed';
import { waitUntil } from '@causeway/test-kit';
import { Client } from 'pg';
import type { DrillInput, Outcome } from './drill.ts';
import type { Section } from './runbook.ts';
import { Traffic } from './traffic.ts';

const PROGRAMS = {
  relayer: '@causeway/relayer/main',
  attester: '@causeway/attester/main',
  'causeway-admin': '@causeway/admin-cli/main',
} as const;
const MINUTE_MS = 60_000;
const PATIENCE = { timeoutMs: 120_000, intervalMs: 250 };

type Variables = Readonly<Record<string, string>>;

/** How a command ended. `output`: standard output, then standard error. */
interface CommandResult {
  readonly code: number;
  readonly output: string;
}

/** A bridge under a drill: its users, and a shell with the operators' programs. */
export class Bed {
  readonly directory: string;
  readonly environment: Environment;
  readonly traffic: Traffic;
  readonly problems: string[] = [];
  private readonly input: DrillInput;
  private readonly ends: (() => Promise<unknown>)[] = [];
  private lostAtMs = 0;
  private minutes = Number.NaN;

  private constructor(directory: string, environment: Environment, traffic: Traffic, input: DrillInput) {
    this.directory = directory;
    this.environment = environment;
    this.traffic = traffic;
    this.input = input;
  }

  /**
   * Boots a bridge with funds, runs work on it, and checks every operation and balance. Keeps the folder after a
   * failure.
   *
   * @param work breaks and restores the bridge; returns the data lost.
   * @param prepare changes the new bridge before its first operation.
   */
  static async under(
    input: DrillInput,
    options: Partial<EnvironmentOptions>,
    work: (bed: Bed) => Promise<string>,
    prepare: (environment: Environment) => Promise<void> = () => Promise.resolve(),
  ): Promise<Outcome> {
    const directory = mkdtempSync(join(tmpdir(), 'causeway-drill-'));
    chmodSync(directory, 0o755);
    writePrograms(join(directory, 'programs'));
    const short = { holdSeconds: 2, ethereumConfirmations: 4, partnerConfirmations: 3, retireAfterSeconds: 1 };
    const environment = await bootEnvironment(
      { ...DEFAULT_ENVIRONMENT_OPTIONS, directory, ...short, ...options },
      () => undefined,
    );
    let bed: Bed | undefined;
    let isGreen = false;
    try {
      await prepare(environment);
      input.print('the bridge runs; users deposit');
      bed = new Bed(directory, environment, await Traffic.open(environment, input.seed), input);
      const dataLost = await work(bed);
      input.print('every operation and balance is checked');
      bed.problems.push(...(await bed.traffic.findFaults()));
      isGreen = bed.problems.length === 0;
      return { dataLost, minutes: bed.minutes, problems: bed.problems };
    } finally {
      for (const end of bed?.ends ?? []) await end();
      await environment.stop();
      if (isGreen) rmSync(directory, { recursive: true, force: true });
      else input.print(`The logs are in ${join(directory, 'logs')}`);
    }
  }

  say(what: string): void {
    this.input.print(what);
  }

  /** Begins the time that the drill reports. */
  lose(what: string): void {
    this.say(what);
    this.lostAtMs = performance.now();
  }

  /** Waits until every operation has ended, which ends the time that the drill reports. */
  async back(): Promise<void> {
    await this.traffic.untilEnded();
    this.minutes = (performance.now() - this.lostAtMs) / MINUTE_MS;
    this.say(`all operations have ended ${this.minutes.toFixed(1)} minutes after the loss`);
  }

  /** Runs a check of the drill. A failure is a problem, and the drill continues. */
  async check(what: string, work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.problems.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /**
   * Runs a shell block of a page with the relayer's settings.
   *
   * @throws Error when it fails.
   */
  async runBlock(section: Section, phrase: string, variables: Variables = {}): Promise<string> {
    return this.shell(section.block(phrase), variables);
  }

  /**
   * Runs a command that a page names, with the relayer's settings.
   *
   * @param values follow the command.
   * @throws Error when the page does not name it, or it fails.
   */
  async run(section: Section, command: string, values = '', variables: Variables = {}): Promise<string> {
    return this.shell(`${section.command(command)} ${values}`, variables);
  }

  /** Waits until a check returns a truthy value, and returns that. */
  async until<T>(what: string, check: () => T | Promise<T>): Promise<NonNullable<T>> {
    return waitUntil(what, check, PATIENCE);
  }

  /** Does something when all is checked. */
  atEnd(work: () => Promise<unknown>): void {
    this.ends.push(work);
  }

  /** Connects to a database until the end of the drill. */
  async connect(connectionString: string): Promise<Client> {
    const client = new Client({ connectionString });
    // The drill can end the server first.
    client.on('error', () => undefined);
    await client.connect();
    this.atEnd(async () => client.end());
    return client;
  }

  /**
   * Runs a shell command with the relayer's settings.
   *
   * @throws Error when it fails.
   */
  async shell(command: string, variables: Variables = {}): Promise<string> {
    const { code, output } = await this.try(command, variables);
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${output}`);
    return output;
  }

  /** Runs a shell command with the relayer's settings, which may fail. */
  async try(command: string, variables: Variables = {}): Promise<CommandResult> {
    this.say(`$ ${command.trim().replaceAll(/\n\s*/g, '; ')}`);
    const path = `${join(this.directory, 'programs')}:${process.env['PATH']}`;
    const env = { ...this.environment.relayerVariables(), ...variables, PATH: path };
    return new Promise((resolve) => {
      const child = execFile('sh', ['-ec', command], { env }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, output: `${stdout}${stderr}` }),
      );
    });
  }
}

function writePrograms(folder: string): void {
  mkdirSync(folder);
  for (const [name, module] of Object.entries(PROGRAMS)) {
    const main = fileURLToPath(import.meta.resolve(module));
    const script = `#!/bin/sh\nexec ${process.execPath} --disable-warning=ExperimentalWarning ${main} "$@"\n`;
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
}
