import 'reflect-metadata';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { AddressBook } from '@causeway/protocol';
import { openStore, type Fence, type ScannedBlock, type Store } from '@causeway/store';
import { aBlock } from '@causeway/store/test';
import { anAddressBook, AnswerChecker, ETHEREUM, loginUrl, PARTNER, temporaryDatabase } from '@causeway/test-kit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ConsoleFiles } from '../src/admin/console.controller.js';
import { createAdminServer } from '../src/admin/admin-server.js';
import { ApiModule } from '../src/api.module.js';
import { readConfiguration, type Configuration } from '../src/configuration.js';
import { buildDocument } from '../src/openapi/document.js';
import { createServer } from '../src/server/http-server.js';
import { makeTables } from './server/make-tables.js';
import type { TemporaryBridge } from './temporary-bridge.js';

/** A response of the API. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The API on a new database. Requests go through its HTTP layer without a socket. */
export interface TemporaryApi {
  readonly store: Store;
  readonly fence: Fence;
  readonly book: AddressBook;
  /** A superuser's connection string of the database. */
  readonly databaseUrl: string;
  /** The admin API of the same process; null without ADMIN_PORT among the variables. */
  readonly admin: NestFastifyApplication | null;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;
  readonly post: (
    path: string,
    body: unknown,
    contentType?: string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>;
  /** Stores a block after the last one, like the relayer's scan. */
  readonly scan: (chainId: number, over?: Partial<ScannedBlock>) => Promise<ScannedBlock>;
  readonly close: () => Promise<void>;
}

/** Checks every response of every test against the OpenAPI document. */
export const answerChecker = new AnswerChecker(buildDocument({}, 'http://127.0.0.1:3000'));

/** Tests send more requests than people. */
export const WITHOUT_RATES = {
  RATE_LIMIT_PER_SECOND: '0',
  RATE_LIMIT_PER_MINUTE: '0',
  RATE_LIMIT_INTENTS_PER_MINUTE: '0',
} as const;

/** Port 9 (discard) refuses connections. */
const NO_NODE = 'http://127.0.0.1:9';

/** Starts the API. Without a bridge no node answers, which is enough for tests that read only the database. */
export async function temporaryApi(
  bridge?: Omit<TemporaryBridge, 'stop'>,
  variables: Readonly<Record<string, string>> = {},
  consoleFiles: ConsoleFiles | null = null,
  change: Partial<Configuration> = {},
): Promise<TemporaryApi> {
  const database = await temporaryDatabase(makeTables);
  const store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
  const fence = await store.lease.acquire('relayer', 'test', 600_000);
  if (fence === null) throw new Error('The lease of a new database is taken');
  await store.scan.begin(fence, ETHEREUM, 1n);
  await store.scan.begin(fence, PARTNER, 1n);

  const book = bridge?.book ?? anAddressBook();
  const directory = mkdtempSync(join(tmpdir(), 'causeway-api-'));
  const bookFile = join(directory, 'address-book.json');
  writeFileSync(bookFile, JSON.stringify(book));
  const read = readConfiguration({
    ENVIRONMENT: 'local',
    DATABASE_URL: loginUrl(database.url, 'causeway_api'),
    ETHEREUM_RPC_URLS: bridge?.ethereum.url ?? NO_NODE,
    PARTNER_RPC_URLS: bridge?.partner.url ?? NO_NODE,
    ADDRESS_BOOK: bookFile,
    ETHEREUM_CONFIRMATIONS: '4',
    PARTNER_CONFIRMATIONS: '3',
    HOLD_SECONDS: '60',
    LOG_LEVEL: 'silent',
    ...WITHOUT_RATES,
    ...variables,
  });
  const configuration = { ...read, ...change };
  const app = await createServer(ApiModule.from(configuration), configuration);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  const admin = await createAdminServer(app, configuration, consoleFiles);
  await admin?.getHttpAdapter().getInstance().ready();

  const send = async (request: Parameters<typeof app.inject>[0]): Promise<Answer> => {
    const response = await app.inject(request as { url: string });
    const { statusCode: status, headers } = response;
    answerChecker.check({ ...(request as { method: string; url: string }), status, headers, body: response.body });
    // For a stream, the data of the first event.
    const text = /^data: (.*)$/m.exec(response.body)?.[1] ?? response.body;
    return { status, body: text === '' ? null : JSON.parse(text), headers };
  };
  return {
    store,
    fence,
    book,
    databaseUrl: database.url,
    admin,
    get: (path, headers = {}) => send({ method: 'GET', url: path, headers }),
    post: (path, body, contentType = 'application/json', headers = {}) =>
      send({
        method: 'POST',
        url: path,
        headers: { ...headers, 'content-type': contentType },
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    scan: async (chainId, over = {}) => {
      const block = aBlock((await store.scan.cursor(chainId))?.nextBlock ?? 1n, over);
      await store.scan.extend(fence, chainId, [block], block.number);
      return block;
    },
    close: async () => {
      await admin?.close();
      await app.close();
      await store.close();
      await database.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Matches a refusal with a code of the specification. */
export function refusal(status: number, error: string, message: unknown = expect.any(String)): unknown {
  return expect.objectContaining({ status, body: { error, message } });
}
