import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import getPort from 'get-port';
import { stagePostgres } from './postgres-programs.js';

/** A PostgreSQL server of the npm packages, on 127.0.0.1. Its user and password are `causeway`. */
export interface EmbeddedServer {
  readonly pid: number;
  /** Connection string without a database. */
  readonly url: string;
  /** Part of the server's command line that no other process has. */
  readonly command: string;
  /** Resolves when the server has ended in any way. */
  readonly ended: Promise<unknown>;
  readonly stop: () => Promise<void>;
}

/** Options of the server. */
export interface EmbeddedOptions {
  /** Default: a temporary folder, which `stop` deletes. */
  readonly dataDirectory?: string;
  /** Receives the server's log, a few lines at a time. */
  readonly onLog?: (text: string) => void;
}

const USER = 'causeway';
const PASSWORD = 'causeway';
const IS_READY = 'database system is ready to accept connections';
/**
 * Root passes the data folder as an open file, since `nobody` can lack access to its path. The working directory does
 * not work: initdb of PostgreSQL 15 leaves it and cannot return.
 */
const OPEN_FOLDER = '/proc/self/fd/4';

/**
 * Starts a PostgreSQL server. As root it runs as the user `nobody`, because PostgreSQL refuses to run as root.
 *
 * @throws Error with the last log lines when the server cannot start.
 */
export async function startEmbeddedPostgres({ dataDirectory, onLog }: EmbeddedOptions = {}): Promise<EmbeddedServer> {
  const isTemporary = dataDirectory === undefined;
  const programs = await stagePostgres();
  const folder = resolve(dataDirectory ?? mkdtempSync(join(tmpdir(), 'causeway-postgres-')));
  const clean = () => {
    if (isTemporary) rmSync(folder, { recursive: true, force: true });
    programs.release();
  };
  const log: string[] = [];
  const follow = (child: ChildProcess) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        log.push(text.trim());
        onLog?.(text.trim());
      });
    return child;
  };
  const data = programs.user === null ? folder : OPEN_FOLDER;
  // Other processes of `nobody` can read its environment.
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' };
  const options: SpawnOptions = { cwd: folder, env, ...programs.user };
  let open: number | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    open = openSync(folder, 'r');
    if (!existsSync(join(folder, 'PG_VERSION'))) {
      if (programs.user !== null) chownSync(folder, programs.user.uid, programs.user.gid);
      const flags = [`--pgdata=${data}`, `--username=${USER}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'];
      await initialise(
        programs.path('initdb'),
        [...flags, ...(isTemporary ? ['--no-sync'] : [])],
        open,
        options,
        follow,
      );
    } else if (lstatSync(folder).uid !== (programs.user?.uid ?? process.getuid?.()))
      throw new Error(`${folder} belongs to another user: start as that user, or use a new folder`);
    const port = await getPort({ host: '127.0.0.1' });
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...(isTemporary ? ['fsync=off'] : [])];
    const args = ['-D', data, '-p', `${port}`, ...settings.flatMap((setting) => ['-c', setting])];
    const stdio: SpawnOptions['stdio'] = ['ignore', 'ignore', 'pipe', 'ignore', open];
    const server = follow(spawn(programs.path('postgres'), args, { ...options, stdio }));
    const ended = once(server, 'close');
    await untilReady(server, ended);
    return {
      pid: server.pid ?? -1,
      url: `postgresql://${USER}:${PASSWORD}@127.0.0.1:${port}`,
      command: args.slice(0, 4).join(' '),
      ended,
      stop: async () => {
        server.kill('SIGINT');
        await ended;
        clean();
      },
    };
  } catch (cause) {
    clean();
    const reason = log.slice(-5).join(' | ') || (cause instanceof Error ? cause.message : String(cause));
    throw new Error(`PostgreSQL did not start in ${folder}: ${reason}`, { cause });
  } finally {
    if (open !== undefined) closeSync(open);
  }
}

/** Creates the files of a server, owned by the user that the options name. */
async function initialise(
  program: string,
  flags: readonly string[],
  folder: number,
  options: SpawnOptions,
  follow: (child: ChildProcess) => ChildProcess,
): Promise<void> {
  const secrets = mkdtempSync(join(tmpdir(), 'causeway-password-'));
  const file = join(secrets, 'password');
  writeFileSync(file, `${PASSWORD}\n`, { mode: 0o600 });
  if (options.uid !== undefined) chownSync(file, options.uid, options.gid ?? options.uid);
  const password = openSync(file, 'r');
  try {
    // Passed as an open file, since the user may lack access to its path, as for the data.
    const stdio: SpawnOptions['stdio'] = ['ignore', 'pipe', 'pipe', password, folder];
    const child = follow(spawn(program, [...flags, '--pwfile=/dev/fd/3'], { ...options, stdio }));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`initdb ended with ${code}`);
  } finally {
    closeSync(password);
    rmSync(secrets, { recursive: true, force: true });
  }
}

async function untilReady(server: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const ready = new Promise<void>((fulfil) =>
    server.stderr?.on('data', (text: string) => {
      if (text.includes(IS_READY)) fulfil();
    }),
  );
  await Promise.race([ready, ended.then(() => Promise.reject(new Error('the server ended')))]);
}
