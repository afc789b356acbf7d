import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil, type GatewayProcess } from '@causeway/test-kit';
import type { WebSocket } from 'ws';
import { createKey, type ApiKey } from '../../src/access/api-key.js';
import { startEmbeddedGateway } from './gateway.js';

/** An API key file, and a test's gateways that read it. */
export class KeyedGateways {
  private readonly folder = mkdtempSync(join(tmpdir(), 'causeway-keys-'));
  readonly path = join(this.folder, 'keys.json');
  private readonly gateways: GatewayProcess[] = [];
  private readonly entries = new Map<string, ApiKey>();

  /** Makes a key and its entry. @returns the key; only `write` changes the file. */
  add(name: string, limits: Partial<ApiKey> = {}): string {
    const { key, entry } = createKey(name);
    this.entries.set(name, { ...entry, ...limits });
    return key;
  }

  change(name: string, limits: Partial<ApiKey>): void {
    const { sha256 } = this.entries.get(name) ?? { sha256: '' };
    this.entries.set(name, { name, sha256, ...limits });
  }

  remove(name: string): void {
    this.entries.delete(name);
  }

  /** Path of the file. */
  get text(): string {
    return JSON.stringify([...this.entries.values()]);
  }

  /** Replaces the whole file, like a mounted secret. @param text instead of the entries. */
  write(text = this.text): void {
    writeFileSync(`${this.path}.new`, text);
    renameSync(`${this.path}.new`, this.path);
  }

  /** Starts the compiled gateway in front of an embedded chain. */
  async start(variables: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
    const settings = { LOG_LEVEL: 'info', METRICS_PORT: '0', API_KEYS_FILE: this.path };
    const gateway = await startEmbeddedGateway({ ...settings, ...variables });
    this.gateways.push(gateway);
    return gateway;
  }

  async stop(): Promise<void> {
    for (const gateway of this.gateways.splice(0)) await gateway.stop();
    this.entries.clear();
    rmSync(this.folder, { recursive: true });
  }
}

/** Reads a gateway's metric lines about keys and refusals. */
export async function readKeyMetrics(gateway: GatewayProcess): Promise<readonly string[]> {
  const findUrl = () => /"url":"(http:[^"]+\/metrics)"/.exec(gateway.printed())?.[1];
  await waitUntil('metrics are served', () => findUrl() !== undefined);
  const url = findUrl() ?? '';
  const text = await (await fetch(url)).text();
  return text.split('\n').filter((each) => /^causeway_gateway_(key|refusals)_/.test(each));
}

// Calls with and without a key, over each transport.

export const call = (method = 'eth_chainId') => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] });
export const batch = (calls: number) => `[${Array.from({ length: calls }, () => call()).join(',')}]`;
export const bearer = (key: string) => `Bearer ${key}`;
export const basic = (user: string, key: string) => `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`;
export const post = ({ httpUrl }: GatewayProcess, body: string, authorization?: string) => {
  const headers = {
    'content-type': 'application/json',
    ...(authorization === undefined ? {} : { authorization }),
  };
  return fetch(httpUrl, { method: 'POST', headers, body });
};
export const getErrorCodes = (text: string): readonly number[] =>
  [JSON.parse(text)].flat().map(({ error }: { error?: { code: number } }) => error?.code ?? 0);
export const ask = async (gateway: GatewayProcess, body: string, authorization?: string) =>
  getErrorCodes(await (await post(gateway, body, authorization)).text());
export const mirror = ({ httpUrl }: GatewayProcess, authorization?: string) =>
  fetch(new URL(`api/v1/contracts/results/0x${'00'.repeat(32)}`, httpUrl), {
    headers: authorization === undefined ? {} : { authorization },
  });
export const askSocket = async (socket: WebSocket, body = call()) => {
  socket.send(body);
  return getErrorCodes(String((await once(socket, 'message', { signal: AbortSignal.timeout(10_000) }))[0]));
};
export const withKey = (url: string, key: string) => url.replace('//', `//relayer:${key}@`);
