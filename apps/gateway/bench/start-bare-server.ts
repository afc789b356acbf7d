import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Node's own HTTP server, in a process of its own that ends with this one. */
export async function startBareServer(): Promise<{
  readonly url: string;
  readonly pid: number;
  readonly stop: () => void;
}> {
  const child = fork(fileURLToPath(new URL('bare-server.ts', import.meta.url)));
  const [url] = (await once(child, 'message')) as [string];
  return { url, pid: child.pid ?? Number.NaN, stop: () => child.disconnect() };
}
