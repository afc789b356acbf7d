import { connect } from 'node:net';
import { join } from 'node:path';
import { waitUntil, type ProcessGroup } from '../processes/process-group.js';
import { balancerConfiguration, type Pool } from './configuration-files.js';
import { findProgram } from './debian-programs.js';
import { findUser, makeFolder, writeOwned } from './service-user.js';

/** Starts Redis, which keeps nothing on disk. Returns its address. */
export function startRedis(processes: ProcessGroup, directory: string, port: number): string {
  const user = findUser('redis');
  const folder = makeFolder(join(directory, 'redis'), user);
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
  processes.start({ name: 'redis', module: findProgram('redis-server'), args, env: {}, user });
  return `redis://127.0.0.1:${port}`;
}

/** The commands of a balancer. A server is named by its pool: `gateways/gateway-1`. */
export interface Balancer {
  /** Gives a server no more requests. Resolves when those that it had are answered. */
  readonly leaveOut: (server: string) => Promise<void>;
  readonly enable: (server: string) => Promise<void>;
}

/** Starts HAProxy before pools of servers. */
export function startBalancer(processes: ProcessGroup, directory: string, pools: readonly Pool[]): Balancer {
  const user = findUser('haproxy');
  const folder = makeFolder(join(directory, 'balancer'), user);
  const socket = join(folder, 'commands.sock');
  const file = writeOwned(folder, 'haproxy.cfg', balancerConfiguration(pools, socket), user);
  processes.start({ name: 'balancer', module: findProgram('haproxy'), args: ['-db', '-f', file], env: {}, user });
  return {
    leaveOut: async (server) => {
      await command(socket, `set server ${server} state drain`);
      await waitUntil(`${server} has no request`, async () => (await countRequests(socket, server)) === 0);
    },
    enable: async (server) => void (await command(socket, `set server ${server} state ready`)),
  };
}

/** @returns the balancer's answer. */
async function command(socket: string, text: string): Promise<string> {
  const connection = connect(socket);
  connection.end(`${text}\n`);
  return Buffer.concat(await connection.toArray()).toString();
}

/** Requests that a server has now, by the fifth column of the statistics. */
async function countRequests(socket: string, server: string): Promise<number> {
  const lines = (await command(socket, 'show stat')).split('\n').map((line) => line.split(','));
  return Number(lines.find(([pool, name]) => `${pool}/${name}` === server)?.[4]);
}
