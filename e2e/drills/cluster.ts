import { execFile, execFileSync } from 'node:child_process';
import { chownSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from '@causeway/test-kit';
import type { Supervisor } from '@causeway/testbed';
import { Client } from 'pg';
import { freePort } from '../test/temporary-environment.ts';
import { Lack } from './drill.ts';

const PROGRAM = '/usr/lib/postgresql/*/bin/pg_basebackup';
const USER = 'causeway';

/** A server of Debian's PostgreSQL, on 127.0.0.1. */
export class Cluster {
  readonly name: string;
  readonly port: number;
  private readonly data: string;
  private readonly processes: Supervisor;

  private constructor(name: string, port: number, data: string, processes: Supervisor) {
    this.name = name;
    this.port = port;
    this.data = data;
    this.processes = processes;
  }

  /**
   * Creates a server with the database of a bridge, and starts it.
   *
   * @throws Lack without Debian's PostgreSQL.
   */
  static async create(name: string, directory: string, processes: Supervisor): Promise<Cluster> {
    const cluster = await Cluster.prepare(name, directory, processes);
    const password = join(directory, `${name}.password`);
    writeFileSync(password, `${USER}\n`);
    const flags = ['--username', USER, '--pwfile', password, '--auth', 'scram-sha-256', '--no-sync'];
    await runAs(directory, 'initdb', ['-D', cluster.data, '--encoding', 'UTF8', '--locale', 'C.UTF-8', ...flags]);
    await cluster.start();
    await cluster.query('CREATE DATABASE causeway', 'postgres');
    return cluster;
  }

  /** Makes an asynchronous replica, which follows through an address, and starts it. */
  async replicate(name: string, directory: string, address: number): Promise<Cluster> {
    const replica = await Cluster.prepare(name, directory, this.processes);
    const source = `host=127.0.0.1 port=${address} user=${USER} password=${USER}`;
    await runAs(directory, 'pg_basebackup', [
      '-D',
      replica.data,
      '-d',
      source,
      '-R',
      '-X',
      'stream',
      '--checkpoint=fast',
    ]);
    await replica.start();
    return replica;
  }

  get url(): string {
    return `postgresql://${USER}:${USER}@127.0.0.1:${this.port}/causeway`;
  }

  async start(): Promise<void> {
    const { name, port, data, processes } = this;
    const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=`];
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
    processes.start({ name, module: findProgram('postgres'), args, env: {}, ...findUser() });
    await waitUntil(`${name} answers`, async () => this.query('SELECT 1', 'postgres'));
  }

  /** Ends the server as a lost machine does. */
  async kill(): Promise<void> {
    await this.processes.kill(this.name);
  }

  async promote(): Promise<void> {
    await this.query('SELECT pg_promote()');
  }

  /** Waits until a replica has all that this server has written. */
  async untilFollowed(): Promise<void> {
    const lag = 'SELECT 1 FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()';
    await waitUntil('the replica has all', async () => (await this.query(lag)).length === 1);
  }

  private async query(text: string, database = 'causeway'): Promise<object[]> {
    const client = new Client({ connectionString: Object.assign(new URL(this.url), { pathname: database }).href });
    await client.connect();
    try {
      return (await client.query<object>(text)).rows;
    } finally {
      await client.end();
    }
  }

  private static async prepare(name: string, directory: string, processes: Supervisor): Promise<Cluster> {
    const data = join(directory, name);
    mkdirSync(data, { mode: 0o700 });
    const { user } = findUser();
    if (user !== undefined) chownSync(data, user.uid, user.gid);
    return new Cluster(name, await freePort(), data, processes);
  }
}

/** @throws Lack without Debian's PostgreSQL. */
function findProgram(name: string): string {
  const found = globSync(PROGRAM).toSorted().at(-1);
  if (found === undefined) throw new Lack("it needs Debian's package postgresql");
  return join(dirname(found), name);
}

/** PostgreSQL does not run as root. */
function findUser(): { readonly user?: { readonly uid: number; readonly gid: number } } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { user: { uid: id('-u'), gid: id('-g') } };
}

async function runAs(cwd: string, program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(findProgram(program), args, { cwd, ...findUser().user });
}
