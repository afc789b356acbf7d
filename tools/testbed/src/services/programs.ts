import { join } from 'node:path';
import type { Supervisor } from '../processes/supervisor.js';
import { balancerConfiguration, type Pool } from './configuration-files.js';
import { findProgram } from './debian-programs.js';
import { findUser, makeFolder, writeOwned } from './service-user.js';

/** Starts Redis without persistence and returns its URL. */
export function startRedis(processes: Supervisor, directory: string, port: number): string {
  const user = findUser('redis');
  const folder = makeFolder(join(directory, 'redis'), user);
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
  processes.start({ name: 'redis', module: findProgram('redis-server'), args, env: {}, user });
  return `redis://127.0.0.1:${port}`;
}

/** Starts HAProxy in front of pools of servers. */
export function startBalancer(processes: Supervisor, directory: string, pools: readonly Pool[]): void {
  const user = findUser('haproxy');
  const folder = makeFolder(join(directory, 'balancer'), user);
  const file = writeOwned(folder, 'haproxy.cfg', balancerConfiguration(pools), user);
  processes.start({ name: 'balancer', module: findProgram('haproxy'), args: ['-db', '-f', file], env: {}, user });
}
