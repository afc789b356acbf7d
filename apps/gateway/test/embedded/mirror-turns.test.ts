import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKey } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { parseGwei, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createEmbeddedBackend } from '../../src/backends/embedded/embedded-backend.js';
import type { EmbeddedBackend } from '../../src/backends/embedded/embedded-backend.js';
import { readConfiguration } from '../../src/config/configuration.js';
import { Gateway } from '../../src/gateway.js';

const OWNER = privateKeyToAccount(testKey(0));

describe('the mirror endpoints and the heavy calls', () => {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-mirror-'));
  let backend: EmbeddedBackend;
  let gateway: Gateway;
  let url: string;
  let hash: Hex;
  const get = async (path: string, headers: Record<string, string> = {}) => fetch(new URL(path, url), { headers });
  const fetchResult = (rest = '', headers?: Record<string, string>) =>
    get(`/api/v1/contracts/results/${hash}${rest}`, headers);

  beforeAll(async () => {
    backend = await createEmbeddedBackend({
      chainId: 8901,
      dataDirectory: directory,
      genesisFile: null,
      blockIntervalMs: 0,
      clientVersion: 'Causeway/test',
    });
    const configuration = readConfiguration({ PORT: '0', DATA_DIRECTORY: directory, TRUSTED_PROXY_HOPS: '1' });
    gateway = new Gateway({ configuration, backend, logger: pino({ level: 'warn' }) });
    url = await gateway.listen();
    const mined = Promise.withResolvers<void>();
    backend.chain.listen({
      onBlock: () => mined.resolve(),
      onPendingTransaction: () => undefined,
      onFault: () => undefined,
      onFailure: mined.reject,
    });
    // JUMPDEST, 20 times PUSH0 PUSH0 LOG0, and so on while there is gas.
    const data: Hex = `0x5b${'5f5fa0'.repeat(20)}5a62030000105f5700`;
    const fees = { gas: 700_000n, gasPrice: parseGwei('1'), chainId: 8901 } as const;
    hash = (await backend.request('eth_sendRawTransaction', [
      await OWNER.signTransaction({ data, nonce: 0, ...fees }),
    ])) as Hex;
    await mined.promise;
  });
  afterAll(async () => {
    await gateway?.close();
    rmSync(directory, { recursive: true });
  });

  it('read a call tree once, for themselves and for debug_traceTransaction', async () => {
    const { reader } = backend.chain;
    const read = reader.calls.bind(reader);
    let reads = 0;
    reader.calls = (blockNumber, index) => {
      reads += 1;
      return read(blockNumber, index);
    };
    await backend.request('debug_traceTransaction', [hash]);
    for (const path of ['', '/actions']) await fetchResult(path);
    reader.calls = read;
    expect(reads).toBe(1);
  });

  it.each(['', '/actions'])('are queued: %j waits for the running heavy call, cheap requests do not', async (path) => {
    const heavy = Promise.withResolvers<void>();
    const underWay = backend.inTurn('192.0.2.1', () => heavy.promise);
    let isAnswered = false;
    const answer = fetchResult(path).then((response) => {
      isAnswered = true;
      return response.status;
    });
    for (let asked = 0; asked < 5; asked += 1) expect((await get('/health')).status).toBe(200);
    expect(isAnswered).toBe(false);
    heavy.resolve();
    await underWay;
    expect(await answer).toBe(200);
  });

  it('count for the same client as in the rate limiter', async () => {
    const inTurn = backend.inTurn.bind(backend);
    const callers: string[] = [];
    backend.inTurn = <T>(caller: string, task: () => T | Promise<T>) => {
      callers.push(caller);
      return inTurn(caller, task);
    };
    for (const path of ['', '/actions']) await fetchResult(path, { 'x-forwarded-for': '198.51.100.9, 203.0.113.7' });
    backend.inTurn = inTurn;
    expect(callers).toEqual(['203.0.113.7', '203.0.113.7']);
  });

  it('answer 503 to a client with too many waiting calls', async () => {
    const heavy = Promise.withResolvers<void>();
    const underWay = backend.inTurn('192.0.2.1', () => heavy.promise);
    const waiting = Array.from({ length: 1_000 }, () => backend.inTurn('203.0.113.7', () => undefined));
    const refused = await fetchResult('', { 'x-forwarded-for': '203.0.113.7' });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toEqual({
      _status: { messages: [{ message: expect.stringContaining('too many of your calls') }] },
    });
    heavy.resolve();
    await Promise.all([underWay, ...waiting]);
  });

  it('show thousands of logs as the receipt has them', async () => {
    const result = (await (await fetchResult()).json()) as { logs: { index: number }[]; bloom: Hex };
    const receipt = (await backend.request('eth_getTransactionReceipt', [hash])) as { logs: []; logsBloom: Hex };
    expect(result.logs.map(({ index }) => index)).toEqual([...receipt.logs.keys()]);
    expect(result.logs.length).toBeGreaterThan(1_000);
    expect(result.bloom).toBe(receipt.logsBloom);
  });
});
