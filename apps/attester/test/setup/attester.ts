import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '@causeway/test-kit';

export const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url));

/** The attester in a separate process, as operators run it. */
export interface AttesterProcess {
  /** The address of metrics and health. */
  readonly url: string;
  /** Start of the wait after which it can sign, in epoch milliseconds. */
  readonly startedAtMs: number;
  readonly printed: () => string;
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
}

/** Starts the built attester as a child that ends with this process. */
export function launchAttester(env: Readonly<Record<string, string>>) {
  const startedAtMs = Date.now();
  const child = fork(MAIN, [], { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let output = '';
  const keep = (chunk: Buffer) => (output += chunk.toString());
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const exit = once(child, 'exit');
  return {
    startedAtMs,
    printed: () => output,
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      await exit;
      return child.exitCode;
    },
  };
}

/** Starts the built attester, and waits until it works. */
export async function startAttester(env: Readonly<Record<string, string>>): Promise<AttesterProcess> {
  const launched = launchAttester(env);
  const url = await waitUntil('the attester works', () => {
    const output = launched.printed();
    return output.includes('"started"') ? /"url":"([^"]+)"/.exec(output)?.[1] : undefined;
  });
  return { url, ...launched };
}
