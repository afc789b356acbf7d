import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Traffic } from './node-process.ts';
import type { ChainScript } from './scripts.ts';

/** Nodes in a process of their own, which ends with this one. */
export interface ScriptedNodes {
  readonly urls: readonly string[];
  /** The traffic since the last question. */
  readonly traffic: () => Promise<Traffic>;
  readonly stop: () => Promise<void>;
}

/** Requests in flight while the capacity is measured. */
const CONNECTIONS = 16;
const CAPACITY_REQUESTS = 500;

/**
 * Builds a script and serves it on several ports. Returns when the nodes answer.
 *
 * @throws Error when the process ends before.
 */
export async function startNodes(script: ChainScript, nodes: number): Promise<ScriptedNodes> {
  const program = fileURLToPath(new URL('node-process.ts', import.meta.url));
  const child = fork(program, [JSON.stringify(script), String(nodes)]);
  const exit = once(child, 'exit');
  const ready = await Promise.race([once(child, 'message'), exit.then(() => null)]);
  if (ready === null) throw new Error(`The scripted nodes did not start`);
  return {
    urls: ready[0] as string[],
    traffic: async () => {
      child.send('traffic');
      const [traffic] = (await once(child, 'message')) as [Traffic];
      return traffic;
    },
    stop: async () => {
      child.disconnect();
      await exit;
    },
  };
}

/** How many blocks with their transactions the nodes serve in a second of their CPU, one in a request. */
export async function measureCapacity({ urls: [url = ''], traffic }: ScriptedNodes, blocks: number): Promise<number> {
  await traffic();
  const ask = async (connection: number): Promise<void> => {
    for (let request = connection; request < CAPACITY_REQUESTS; request += CONNECTIONS) {
      const params = [`0x${(1 + (request % blocks)).toString(16)}`, true];
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params });
      const response = await fetch(url, { method: 'POST', body });
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => ask(connection)));
  const { cpuMs } = await traffic();
  return (CAPACITY_REQUESTS * 1_000) / cpuMs;
}
