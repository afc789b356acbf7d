import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import getPort from 'get-port';

const PATIENCE_MS = 20_000;

/** An anvil that ends with this process. */
export interface Anvil {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/**
 * @param args anvil's own arguments.
 * @param cores those it keeps to, as taskset writes them; null for all.
 */
export async function startAnvil(args: readonly string[], cores: string | null = null): Promise<Anvil> {
  const port = await getPort({ host: '127.0.0.1' });
  const program = fileURLToPath(new URL('../test/processes/anvil.ts', import.meta.url));
  const pinned = cores === null ? {} : { execPath: 'taskset', execArgv: ['-c', cores, process.execPath] };
  const child = fork(program, ['--port', String(port), ...args], pinned);
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}/`;
  const begun = Date.now();
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() - begun > PATIENCE_MS) throw new Error('anvil did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).status > 0;
  } catch {
    return false;
  }
}
