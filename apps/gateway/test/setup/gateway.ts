import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { startGateway, waitUntil, type GatewayProcess } from '@causeway/test-kit';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import type { Backend, BackendStatus } from '../../src/backends/backend.js';
import { readConfiguration, type Configuration } from '../../src/config/configuration.js';
import { Gateway } from '../../src/gateway.js';
import { TestMethods } from './test-methods.js';

/** A gateway in this process on a free port, with test methods and a test backend. */
export interface TestGateway {
  readonly gateway: Gateway;
  readonly backend: TestBackend;
  readonly methods: TestMethods;
  /** Its log, one JSON object per line. */
  readonly log: string[];
  readonly port: number;
  readonly url: string;
  readonly webSocketUrl: string;
  /** Its connection to Redis, once it is ready; only with REDIS_URL. */
  redis(): Promise<Redis>;
  /** Shuts it down, if it has not shut down yet. */
  close(): Promise<void>;
}

/** A backend of which only the status is used. */
class TestBackend implements Backend {
  closed = false;
  available = true;

  request(): Promise<unknown> {
    return Promise.reject(new Error('The server sends no requests to a backend'));
  }

  listen(): () => void {
    return () => undefined;
  }

  status(): BackendStatus {
    const healthy = this.available;
    return {
      kind: 'upstream',
      available: this.available,
      syncing: false,
      blockNumber: 7,
      nodes: [
        { name: 'node-1', healthy, blockNumber: 7, latencyMs: 12, problem: healthy ? null : 'no answer' },
        { name: 'node-2', healthy: false, blockNumber: null, latencyMs: null, problem: 'no answer' },
      ],
    };
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

/**
 * Starts the gateway with test methods and a test backend.
 *
 * @param variables environment variables; no rate limit unless they set one.
 * @param change changes that variables cannot express.
 */
export async function startTestGateway(
  variables: Readonly<Record<string, string>> = {},
  change: (configuration: Configuration) => Configuration = (configuration) => configuration,
): Promise<TestGateway> {
  const backend = new TestBackend();
  const methods = new TestMethods();
  const log: string[] = [];
  const configuration = change(
    readConfiguration({
      PORT: '0',
      BACKEND: 'upstream',
      UPSTREAM_URLS: 'http://127.0.0.1:1',
      RATE_LIMIT_PER_SECOND: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      ...variables,
    }),
  );
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      log.push(chunk.toString());
      done();
    },
  });
  const logger = pino({ level: configuration.logLevel }, destination);
  const gateway = new Gateway({ configuration, backend, logger, methods: methods.all });
  await gateway.listen();
  const { port } = gateway.server.address() as AddressInfo;
  return {
    gateway,
    backend,
    methods,
    log,
    port,
    url: `http://127.0.0.1:${port}`,
    webSocketUrl: `ws://127.0.0.1:${port}`,
    redis: async () => {
      const { redis } = gateway;
      if (redis === null) throw new Error('The gateway was started without REDIS_URL');
      await waitUntil('Redis is ready', () => redis.status === 'ready');
      return redis;
    },
    close: () => gateway.close(),
  };
}

/**
 * Starts the compiled gateway over a new embedded chain, which makes a block for every transaction.
 *
 * @param variables further environment variables.
 */
export async function startEmbeddedGateway(variables: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-gateway-'));
  const env = { BACKEND: 'embedded', DATA_DIRECTORY: directory, BLOCK_INTERVAL_MS: '0' };
  const gateway = await startGateway({ ...env, ...variables });
  const stop = async () => {
    await gateway.stop();
    rmSync(directory, { recursive: true });
  };
  return { ...gateway, stop };
}
