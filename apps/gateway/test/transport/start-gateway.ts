import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import type { Configuration } from '../../src/config/configuration.js';
import { readConfiguration } from '../../src/config/read-configuration.js';
import { createGateway } from '../../src/create-gateway.js';
import { REDIS } from '../../src/limits/limits.module.js';
import { TestBackend } from './test-backend.js';
import { TestMethods } from './test-methods.js';
import { waitUntil } from './wait-until.js';

/** A gateway that listens on a free port of this machine. */
export interface TestGateway {
  readonly app: NestFastifyApplication;
  readonly backend: TestBackend;
  readonly methods: TestMethods;
  /** What it logged, one JSON object a line. */
  readonly log: string[];
  readonly port: number;
  readonly url: string;
  readonly webSocketUrl: string;
  /** Its connection to Redis, once that can be asked; only with REDIS_URL. */
  redis(): Promise<Redis>;
  /** Ends it, if it has not ended yet. */
  close(): Promise<void>;
}

/**
 * Starts the real module with methods and a backend for tests.
 *
 * @param variables environment variables; no rate limit unless they set one.
 * @param change what no variable can say.
 */
export async function startGateway(
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
  const app = await createGateway(configuration, backend, { methods: methods.all, logger });
  await app.listen(configuration.port, configuration.host);
  const { port } = app.getHttpServer().address() as AddressInfo;
  let closing: Promise<void> | null = null;
  return {
    app,
    backend,
    methods,
    log,
    port,
    url: `http://127.0.0.1:${port}`,
    webSocketUrl: `ws://127.0.0.1:${port}`,
    redis: async () => {
      const redis = app.get<Redis>(REDIS);
      await waitUntil('Redis can be asked', () => redis.status === 'ready');
      return redis;
    },
    close: () => (closing ??= app.close()),
  };
}
