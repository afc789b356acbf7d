import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import getPort from 'get-port';
import {
  bytesToHex,
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  http,
  type Account,
  type Chain,
  type Hex,
  type HttpTransport,
  type PublicClient,
  type TestClient,
  type Transport,
  type WalletClient,
} from 'viem';
import { mnemonicToAccount, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { waitUntil } from './test-run.js';

/** Options of anvil. */
export interface AnvilOptions {
  /** Default: 31337. */
  readonly chainId?: number;
  /** Default: a free port. */
  readonly port?: number;
  /** Makes blocks only by `test.mine`, with transactions in arrival order. */
  readonly manualMining?: boolean;
  /** Further arguments of anvil. */
  readonly args?: readonly string[];
  /** CPU cores to use, as for `taskset -c` (Linux only). Default: all. */
  readonly cores?: string | undefined;
}

/** A running development node, with viem clients for it. Account 0 of the test mnemonic signs. */
export interface Anvil {
  readonly url: string;
  readonly wsUrl: string;
  readonly port: number;
  readonly chain: Chain;
  readonly transport: HttpTransport;
  readonly client: PublicClient;
  readonly test: TestClient<'anvil', Transport, Chain>;
  readonly wallet: WalletClient<Transport, Chain, Account>;
  /** Sends a JSON-RPC request that viem's types do not know. */
  readonly request: (method: string, params?: readonly unknown[]) => Promise<unknown>;
  /** Kills the node and waits for its end. */
  readonly stop: () => Promise<void>;
}

/** The mnemonic of all development nodes. */
const MNEMONIC = 'test test test test test test test test test test test junk';
const START_TIMEOUT_MS = 20_000;

/** Returns the private key of one of the twelve accounts that have coins on every anvil. */
export function testKey(index: number): Hex {
  const { privateKey } = mnemonicToAccount(MNEMONIC, { addressIndex: index }).getHdKey();
  if (privateKey === null) throw new Error(`The test mnemonic has no private key ${index}`);
  return bytesToHex(privateKey);
}

/** Returns one of the twelve accounts that have coins on every anvil. */
export function testAccount(index: number): PrivateKeyAccount {
  return privateKeyToAccount(testKey(index));
}

/**
 * Starts an anvil on 127.0.0.1. It ends with `stop`, or with this process.
 *
 * @throws Error when it does not answer within 20 seconds, or ends early.
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const { chainId = 31_337, manualMining = false, args = [], cores } = options;
  const port = options.port ?? (await getPort({ host: '127.0.0.1' }));
  const url = `http://127.0.0.1:${port}`;
  const stop = await startProcess(
    [
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--chain-id',
      String(chainId),
      '--accounts',
      '12',
      ...(manualMining ? ['--no-mining', '--order', 'fifo'] : []),
      ...args,
    ],
    url,
    cores,
  );
  const chain = defineChain({
    id: chainId,
    name: `anvil ${chainId}`,
    nativeCurrency: { name: 'native', symbol: 'native', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const transport = http(url);
  return {
    url,
    wsUrl: `ws://127.0.0.1:${port}`,
    port,
    chain,
    transport,
    client: createPublicClient({ chain, transport, pollingInterval: 20, cacheTime: 0 }),
    test: createTestClient({ mode: 'anvil', chain, transport }),
    wallet: createWalletClient({ chain, transport, account: testAccount(0) }),
    request: (method, params = []) => request(url, method, params),
    stop,
  };
}

async function startProcess(args: readonly string[], url: string, cores?: string): Promise<Anvil['stop']> {
  const program = fileURLToPath(new URL('anvil-process.js', import.meta.url));
  const pinned = cores === undefined ? { execArgv: [] } : pinnedTo(cores);
  const child = fork(program, args, { ...pinned, stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
  let printed = '';
  child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const exit = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exit;
  };
  try {
    await waitUntil(
      'anvil answers or ends',
      async () => child.exitCode !== null || (await request(url, 'eth_chainId', [])),
      { timeoutMs: START_TIMEOUT_MS },
    );
  } catch (cause) {
    await stop();
    throw new Error(`anvil does not answer at ${url}: ${printed}`, { cause });
  }
  if (child.exitCode !== null) throw new Error(`anvil ended with code ${child.exitCode}: ${printed}`);
  return stop;
}

/** Runs Node, and thereby anvil, under taskset. */
const pinnedTo = (cores: string) => ({ execPath: 'taskset', execArgv: ['-c', cores, process.execPath] });

async function request(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message} (${error.code})`);
  return result;
}
