import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  http,
  type Account,
  type Chain,
  type PublicClient,
  type TestClient,
  type Transport,
  type WalletClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

// The first account of development nodes, which is public.
export const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
export const CHAIN_ID = 31_337;

const bin = createRequire(import.meta.url).resolve('@foundry-rs/anvil/bin.mjs');

/** A running development node. */
export interface Anvil {
  readonly url: string;
  readonly client: PublicClient;
  readonly test: TestClient<'anvil', Transport, Chain>;
  readonly wallet: WalletClient<Transport, Chain, Account>;
  readonly stop: () => Promise<void>;
}

/** Starts a node that mines only on request. `options`: further options of anvil. */
export async function startAnvil(...options: string[]): Promise<Anvil> {
  const port = await getPort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    [bin, '--silent', '--host', '127.0.0.1', '--port', `${port}`, '--no-mining', '--order', 'fifo', ...options],
    {
      stdio: 'ignore',
      detached: true,
    },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    const runs = child.exitCode === null && child.signalCode === null;
    if (child.pid !== undefined && runs) process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  const chain = defineChain({
    id: CHAIN_ID,
    name: 'anvil',
    nativeCurrency: { name: 'native', symbol: 'native', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const transport = http(url);
  const client: PublicClient = createPublicClient({ chain, transport, cacheTime: 0 });
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
    url,
    client,
    test: createTestClient({ mode: 'anvil', chain, transport }),
    wallet: createWalletClient({ chain, transport, account }),
    stop,
  };
}
