import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import getPort from 'get-port';

/** A real Redis for one test, which keeps nothing on disk. */
export interface RedisServer {
  readonly url: string;
  /** Kills it. */
  kill(): Promise<void>;
  /** Stops it without ending it: connections stay, nothing is answered. */
  freeze(): void;
  /** Lets it go on. */
  thaw(): void;
}

const PATIENCE_MS = 10_000;

/**
 * Starts `redis-server`, which must be installed.
 *
 * @param port where a Redis that was killed comes back; a free one when it is left out.
 * @throws Error that says how to install it.
 */
export async function startRedis(port?: number): Promise<RedisServer> {
  const chosen = port ?? (await getPort());
  const args = ['--port', String(chosen), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  // Not the test's own output: a server that is left behind would keep it open.
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
  const timer = setTimeout(() => reject(new Error('redis-server does not get ready')), PATIENCE_MS);
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
