import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import getPort from 'get-port';
import { ask } from './ask.js';

/** An anvil of one's own. */
export interface Anvil {
  readonly url: string;
  readonly wsUrl: string;
  readonly port: number;
  /** Asks it directly, past any gateway. */
  readonly ask: (method: string, params?: readonly unknown[]) => Promise<unknown>;
  /** Ends it at once, as a power cut would. */
  readonly kill: () => Promise<void>;
}

/** The first account of anvil's well-known phrase: money for tests, on every anvil. */
export const ANVIL_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

const PATIENCE_MS = 20_000;

/**
 * Starts an anvil that ends with this process.
 *
 * @param args anvil's own; the port is a free one unless it is given.
 */
export async function startAnvil(args: readonly string[] = [], wanted?: number): Promise<Anvil> {
  const port = wanted ?? (await getPort({ host: '127.0.0.1' }));
  const child = fork(fileURLToPath(new URL('anvil.ts', import.meta.url)), ['--port', String(port), ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: ['--no-warnings'],
  });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const kill = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const begun = Date.now();
  for (;;) {
    try {
      await ask(url, 'eth_chainId');
      break;
    } catch (error) {
      if (child.exitCode !== null || Date.now() - begun > PATIENCE_MS) {
        await kill();
        throw new Error('anvil did not start', { cause: error });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { url, wsUrl: `ws://127.0.0.1:${port}`, port, ask: (method, params = []) => ask(url, method, params), kill };
}
