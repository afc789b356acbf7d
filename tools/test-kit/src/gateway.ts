import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from './workspace.js';

/** Options of the gateway's process. */
export interface GatewayOptions {
  /** Arguments of Node itself, such as `--inspect=0`. */
  readonly execArgv?: readonly string[];
}

/** The gateway in its own process, as users run it. */
export interface GatewayProcess {
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly pid: number;
  /** Returns its output and its errors so far. */
  readonly printed: () => string;
  readonly running: () => boolean;
  /** Sends SIGKILL. */
  readonly kill: () => Promise<void>;
  /** Sends SIGTERM and waits for the end; sends SIGKILL after ten seconds. */
  readonly stop: () => Promise<void>;
}

/** Tests send more requests than a public endpoint allows a client. */
const NO_LIMITS = { RATE_LIMIT_PER_SECOND: '0', RATE_LIMIT_PER_MINUTE: '0', WS_CONNECTIONS_PER_IP: '0' };
const STOP_TIMEOUT_MS = 10_000;

/**
 * Starts the compiled gateway on a free port, without rate and connection limits. It ends with this process.
 *
 * @param env the gateway's environment variables; they override the defaults above.
 * @throws Error with the gateway's output when it does not start, or when it is not built.
 */
export async function startGateway(
  env: Readonly<Record<string, string>>,
  { execArgv = [] }: GatewayOptions = {},
): Promise<GatewayProcess> {
  const main = join(workspaceRoot(), 'apps/gateway/dist/bundle/main.js');
  if (!existsSync(main)) throw new Error(`${main} is missing: build the gateway first (npx pnpm@12.21.0 build)`);
  const child = fork(main, [], {
    env: { PORT: '0', LOG_LEVEL: 'warn', SHUTDOWN_DELAY_MS: '0', ...NO_LIMITS, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [...execArgv],
  });
  let output = '';
  const keep = (chunk: Buffer) => (output += chunk.toString());
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const exit = once(child, 'exit');
  const message = await Promise.race([once(child, 'message'), exit.then(() => null)]);
  if (message === null) throw new Error(`The gateway did not start: ${output}`);
  const { host } = new URL(String(message[0]));
  return {
    httpUrl: `http://${host}/`,
    wsUrl: `ws://${host}/ws`,
    pid: child.pid ?? Number.NaN,
    printed: () => output,
    running: () => child.exitCode === null && child.signalCode === null,
    kill: async () => {
      child.kill('SIGKILL');
      await exit;
    },
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exit;
      clearTimeout(timer);
    },
  };
}
