import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { temporaryDatabase } from '@causeway/test-kit';
import { Client } from 'pg';
import type { Contestant } from './contestants.ts';
import type { ScriptedNodes } from './scripted-node/start-nodes.ts';
import type { ChainScript } from './scripted-node/scripts.ts';

const POLL_MS = 100;
const TIMEOUT_MS = 900_000;
const PRINTED_CHARACTERS = 4_000;
/** Clock ticks a second of /proc/<pid>/stat: USER_HZ of Linux. */
const TICKS_PER_SECOND = 100;

/** A contestant that did not read the script. */
class FailedRoundError extends Error {
  override readonly name = 'FailedRoundError';
}

/** The cost of reading one script once. */
export interface Round {
  /** From the first call at a node until the process ends, or else until the database shows the last event. */
  readonly seconds: number;
  readonly calls: number;
  readonly requests: number;
  readonly byMethod: Readonly<Record<string, number>>;
  /** CPU of the contestant, from its start; NaN where /proc does not tell. */
  readonly cpuSeconds: number;
  /** CPU of the nodes. */
  readonly nodeCpuSeconds: number;
  /** CPU of PostgreSQL; NaN where /proc does not tell. */
  readonly databaseCpuSeconds: number;
}

/**
 * Lets a contestant read a script into a new database.
 *
 * @throws FailedRoundError with what the contestant printed.
 */
export async function measureRound(contestant: Contestant, nodes: ScriptedNodes, script: ChainScript): Promise<Round> {
  const database = await temporaryDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await nodes.traffic();
  const { rows: backends } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const databaseCpuBefore = databaseCpu(backends[0]?.pid);
  const { urls } = nodes;
  const setting = { urls, lastBlock: script.blocks, databaseUrl: database.url, port: await freePort() };
  const child = contestant.start(setting);
  const exit = once(child, 'exit') as Promise<[number | null]>;
  let printed = '';
  const keep = (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-PRINTED_CHARACTERS));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const startedAt = performance.now();
  let endedMs: number | null = null;
  let cpuSeconds = Number.NaN;
  try {
    while (endedMs === null) {
      cpuSeconds = readStat(child.pid)?.seconds ?? cpuSeconds;
      const ended = await Promise.race([exit, setTimeout(POLL_MS, null)]);
      if (ended !== null && ended[0] !== 0) throw new FailedRoundError(`${contestant.name} failed:\n${printed}`);
      // Counting many rows so often would slow the database: only where there is no other way.
      const isRead = !contestant.ends && (await countRows(client, contestant.table)) >= script.deposits;
      if (isRead || ended !== null) endedMs = Date.now();
      else if (performance.now() - startedAt > TIMEOUT_MS)
        throw new FailedRoundError(`${contestant.name} has not finished after ${TIMEOUT_MS / 1_000} s:\n${printed}`);
    }
    const rows = await countRows(client, contestant.table);
    if (rows !== script.deposits)
      throw new FailedRoundError(`${contestant.name} stored ${rows} of ${script.deposits} events:\n${printed}`);
    const databaseCpuSeconds = databaseCpu(backends[0]?.pid) - databaseCpuBefore;
    const { firstCallMs, cpuMs, calls, requests, byMethod } = await nodes.traffic();
    const seconds = (endedMs - (firstCallMs ?? Number.NaN)) / 1_000;
    return { seconds, calls, requests, byMethod, cpuSeconds, nodeCpuSeconds: cpuMs / 1_000, databaseCpuSeconds };
  } finally {
    child.kill('SIGKILL');
    await exit;
    await client.end();
  }
}

/** Rows of a table; 0 while it does not exist. */
async function countRows(client: Client, table: string): Promise<number> {
  const { rows } = await client.query<{ name: string | null }>('SELECT to_regclass($1) AS name', [table]);
  if (rows[0]?.name === null) return 0;
  const counted = await client.query<{ count: string }>(`SELECT count(*) FROM ${table}`);
  return Number(counted.rows[0]?.count);
}

/** CPU of the server that a backend belongs to: of its processes, and of those that have ended. */
function databaseCpu(backend: number | undefined): number {
  const server = readStat(backend)?.parent;
  if (server === undefined) return Number.NaN;
  const ended = readStat(server)?.endedSeconds ?? 0;
  const processes = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []));
  return processes.reduce((sum, { parent, seconds }) => (parent === server ? sum + seconds : sum), ended);
}

/** The parent of a process, its CPU, and that of its ended children; null where /proc does not tell. */
function readStat(pid: number | undefined): { parent: number; seconds: number; endedSeconds: number } | null {
  try {
    // The second field is the name in parentheses. Times are the 14th to the 17th: user and system.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    const inSeconds = (ticks: number) => ticks / TICKS_PER_SECOND;
    return { parent, seconds: inSeconds(user + system), endedSeconds: inSeconds(endedUser + endedSystem) };
  } catch {
    return null;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
