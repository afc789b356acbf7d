import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The gateway as it is run: the compiled `main` in a process of its own. */
export interface ForkedGateway {
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly pid: number;
  /** What it wrote to its output so far, and to its errors. */
  readonly printed: () => string;
  /** Whether it is still running. */
  readonly running: () => boolean;
  /** Asks it to end, and kills it when it does not. */
  readonly stop: () => Promise<void>;
}

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const NO_LIMITS = { RATE_LIMIT_PER_SECOND: '0', RATE_LIMIT_PER_MINUTE: '0', WS_CONNECTIONS_PER_IP: '0' };
const PATIENCE_MS = 10_000;

/**
 * Starts a gateway that ends with this process. It listens on a free port, without the limits of public endpoints.
 *
 * @param env the gateway's environment variables.
 * @param execArgv arguments of Node itself.
 * @throws Error with what it printed when it does not start.
 */
export async function forkGateway(
  env: Readonly<Record<string, string>>,
  execArgv: readonly string[] = [],
): Promise<ForkedGateway> {
  const child = fork(MAIN, [], {
    env: { PORT: '0', LOG_LEVEL: 'warn', ...NO_LIMITS, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [...execArgv],
  });
  let output = '';
  const keep = (chunk: Buffer) => (output += chunk.toString());
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const ended = once(child, 'exit');
  const message = await Promise.race([once(child, 'message'), ended.then(() => null)]);
  if (message === null) throw new Error(`The gateway did not start: ${output}`);
  const { host } = new URL(String(message[0]));
  return {
    httpUrl: `http://${host}/`,
    wsUrl: `ws://${host}/ws`,
    pid: child.pid ?? Number.NaN,
    printed: () => output,
    running: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}
