import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import { createPublicClient, defineChain, http, type Chain, type HttpTransport } from 'viem';

/** A development node of a test. */
export interface Anvil {
  readonly chain: Chain;
  readonly transport: HttpTransport;
  readonly stop: () => Promise<void>;
}

const bin = createRequire(import.meta.url).resolve('@foundry-rs/anvil/bin.mjs');

/** Starts a node that mines every transaction at once. */
export async function startAnvil(chainId: number): Promise<Anvil> {
  const port = await getPort();
  const child = spawn(
    process.execPath,
    [bin, '--silent', '--host', '127.0.0.1', '--port', `${port}`, '--chain-id', `${chainId}`],
    {
      stdio: 'ignore',
      detached: true,
    },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    // The whole group: the program is a wrapper around the node.
    const runs = child.exitCode === null && child.signalCode === null;
    if (child.pid !== undefined && runs) process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  const chain = defineChain({
    id: chainId,
    name: `anvil ${chainId}`,
    nativeCurrency: { name: 'native', symbol: 'native', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const client = createPublicClient({ transport: http(url, { retryCount: 0 }) });
  for (let attempt = 0; ; attempt++) {
    try {
      await client.getChainId();
      break;
    } catch (error) {
      if (attempt === 100) {
        await stop();
        throw error;
      }
      await sleep(100);
    }
  }
  return {
    chain,
    transport: http(url),
    stop,
  };
}
