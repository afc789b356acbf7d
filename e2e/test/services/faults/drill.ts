import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { AlertCode } from '@causeway/protocol/admin';
import { waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import type { Fleet, RunningService, Variables } from '@causeway/testbed/services';
import { Client } from 'pg';
import type { Operations } from '../operations.js';
import { prepareRequests, type FleetRequest } from '../requests.js';
import { readHeadingCommands } from './runbook.js';

const run = promisify(execFile);
const RELAYER = createRequire(import.meta.url).resolve('@causeway/relayer/main');
const ADMIN = fileURLToPath(import.meta.resolve('@causeway/admin-cli/main'));
const RELAYERS = ['relayer-1', 'relayer-2'] as const;
/** Exit codes of a shell that cannot run a command, of psql for a wrong query, and of a wrong configuration. */
const BROKEN_CODES = new Set([126, 127, 3, 78]);
const COMMAND_MS = 120_000;

/** A running fleet for fault injection, with an operator's commands. */
export class Drill {
  readonly alice: User;

  constructor(
    readonly fleet: Fleet,
    private readonly operations: Operations,
  ) {
    this.alice = new User({ ...fleet, stack: { apiUrl: `${fleet.apiUrl}/api/v1` } }, fleet.accounts.alice);
  }

  /** Runs `relayer`, and returns what it prints. Rejects on failure. */
  async relayer(...words: readonly string[]): Promise<string> {
    return execute(process.execPath, [RELAYER, ...words], { env: this.readVariables(RELAYERS[0]) });
  }

  /** Runs `causeway-admin` with a key, and returns what it prints. Rejects on failure. */
  async admin({ privateKey }: User['account'], ...words: readonly string[]): Promise<string> {
    const { ethereumUrl, addressBookFile, partnerNodeUrl } = this.fleet;
    const nodes = ['--ethereum-rpc', ethereumUrl, '--partner-rpc', partnerNodeUrl];
    // `pause` does not ask for confirmation.
    const yes = words[0] === 'pause' ? [] : ['--yes'];
    const args = [ADMIN, ...words, '--send', ...yes, '--book', addressBookFile, ...nodes];
    return execute(process.execPath, args, { env: { OPERATOR_PRIVATE_KEY: privateKey } });
  }

  /** Runs the commands and queries of a runbook heading. Returns a sentence for each that cannot be run. */
  async runHeading(code: AlertCode): Promise<string[]> {
    const { apiUrl, gatewayUrl } = this.fleet;
    const { metricsPort } = this.findService(RELAYERS[0]);
    const env = {
      ...process.env,
      ...this.readVariables(RELAYERS[0]),
      DATABASE_URL: this.databaseUrl,
      API: apiUrl,
      GATEWAY: gatewayUrl,
      METRICS: `http://127.0.0.1:${metricsPort}/metrics`,
    };
    const relayer = `relayer() { env -u DATABASE_URL '${process.execPath}' '${RELAYER}' "$@"; }`;
    const faults: string[] = [];
    for (const command of readHeadingCommands(code)) {
      const failure = await execute('bash', ['-c', `${relayer}\n${command}`], { env }).then(
        () => null,
        (error: CommandError) => error,
      );
      // During a fault, a command can report problems.
      if (failure !== null && BROKEN_CODES.has(failure.code))
        faults.push(`${code}: ${command} ended with code ${failure.code}: ${failure.stderr}`);
    }
    return faults;
  }

  /** Restarts both relayers with changed variables. */
  async restartRelayers(changes: Variables = {}): Promise<void> {
    await Promise.all(
      RELAYERS.map(async (name) => {
        await this.fleet.processes.kill(name);
        await this.fleet.start(name, changes);
      }),
    );
    await waitUntil('a relayer is active', async () => (await this.metric('sum (causeway_relayer_lease_held)')) === 1);
  }

  /** The value of a Prometheus expression; undefined without a value. */
  async metric(expression: string): Promise<number | undefined> {
    const url = `${this.fleet.monitoring.prometheusUrl}/api/v1/query?query=${encodeURIComponent(expression)}`;
    const { data } = (await (await fetch(url)).json()) as {
      readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
    };
    const [first] = data.result;
    return first === undefined ? undefined : Number(first.value[1]);
  }

  /** Connects as the superuser, or as the relayer. */
  async connect(user: 'superuser' | 'relayer', name: string, database?: string): Promise<Client> {
    const url = new URL(user === 'superuser' ? this.fleet.database.superuserUrl : this.databaseUrl);
    if (database !== undefined) url.pathname = `/${database}`;
    const client = new Client({ connectionString: url.href, application_name: name });
    // The repair of some faults ends the connection.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Runs a statement as superuser in the database postgres. */
  async administer(sql: string): Promise<void> {
    const client = await this.connect('superuser', 'operator', 'postgres');
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  async requests(): Promise<readonly FleetRequest[]> {
    return prepareRequests(this.fleet, this.operations.firstTxHash);
  }

  /** Requests to one service, bypassing the load balancer, which uses only ready services. */
  async requestsTo(name: string): Promise<readonly FleetRequest[]> {
    const { service, port } = this.findService(name);
    const balancer = service === 'api' ? this.fleet.apiUrl : this.fleet.gatewayUrl;
    return (await this.requests())
      .filter(({ url }) => url.startsWith(balancer))
      .map((request) => ({ ...request, url: request.url.replace(balancer, `http://127.0.0.1:${port}`) }));
  }

  /** @throws Error when the service was never started. */
  findService(name: string): RunningService {
    const service = this.fleet.services.list.find((each) => each.name === name);
    if (service === undefined) throw new Error(`${name} was never started`);
    return service;
  }

  private readVariables(name: string): Variables {
    return this.findService(name).variables;
  }

  /** Connection string of the relayers. */
  private get databaseUrl(): string {
    return readFileSync(this.readVariables(RELAYERS[0])['DATABASE_URL_FILE'] ?? '', 'utf8').trim();
  }
}

/** How a command failed. */
interface CommandError extends Error {
  readonly code: number;
  readonly stderr: string;
}

async function execute(command: string, args: readonly string[], { env }: { env: NodeJS.ProcessEnv }): Promise<string> {
  return (await run(command, args, { env, timeout: COMMAND_MS })).stdout;
}
