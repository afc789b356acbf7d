import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import getPort from 'get-port';

/** A real Redis for one test, without persistence. */
export interface RedisServer {
  readonly url: string;
  kill(): Promise<void>;
  /** Suspends the process: connections stay open, without answers. */
  freeze(): void;
  /** Resumes the process. */
  thaw(): void;
}

const PATIENCE_MS = 10_000;

/**
 * Starts `redis-server`, which must be installed.
 *
 * @param port such as that of a killed Redis. Default: a free port.
 * @throws Error that says how to install Redis.
 */
export async function startRedis(port?: number): Promise<RedisServer> {
  const chosen = port ?? (await getPort());
  const args = ['--port', String(chosen), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  // Do not share the test's output: a leftover server would keep it open.
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await ready(child);
  return {
    url: `redis://127.0.0.1:${chosen}`,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

async function ready(child: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('redis-server was not ready in time')), PATIENCE_MS);
  child.once('error', (error) =>
    reject(
      new Error('These tests need redis-server: apt-get install redis-server, or brew install redis', { cause: error }),
    ),
  );
  let output = '';
  child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}: ${output}`)));
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.includes('Ready to accept connections')) resolve();
  });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
}
