import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  SERVER_CERTIFICATE,
  startPostgres,
  STRANGER_CERTIFICATE,
  TEST_AUTHORITY,
  waitUntil,
  type PostgresServer,
  type TestCertificate,
} from '@causeway/test-kit';
import { Client, escapeLiteral } from 'pg';
import { inspectDatabase } from '../../src/connection/inspect-database.js';
import { migrate } from '../../src/connection/migrate.js';
import { openStore, type Store } from '../../src/connection/open-store.js';

// Every kind of connection to a PostgreSQL that requires TLS.

const folder = mkdtempSync(join(tmpdir(), 'causeway-tls-'));
const authority = file('authority.crt', TEST_AUTHORITY);
const stranger = file('stranger.crt', STRANGER_CERTIFICATE.certificate);

let server: PostgresServer;
let admin: Client;
beforeAll(async () => {
  server = await startPostgres();
  admin = new Client({ connectionString: `${server.url}/postgres` });
  await admin.connect();
  await writeOnServer('pg_hba.conf', 'hostssl all all all scram-sha-256\n');
});
afterAll(async () => {
  await admin?.end();
  await server?.stop();
  rmSync(folder, { recursive: true });
});

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Writes a file in the server's folder as the server's user: the server rejects keys of other owners. */
async function writeOnServer(name: string, content: string): Promise<void> {
  const lines = `regexp_split_to_table(${escapeLiteral(content.trimEnd())}, E'\\n')`;
  await admin.query(`COPY (SELECT ${lines}) TO PROGRAM 'umask 077; cat > ${name}'`);
}

async function present({ certificate, key }: TestCertificate): Promise<void> {
  await writeOnServer('server.crt', certificate);
  await writeOnServer('server.key', key);
  await admin.query('ALTER SYSTEM SET ssl = off');
  await reload('off');
  await admin.query('ALTER SYSTEM SET ssl = on');
  await reload('on');
}

/** The server rereads certificates when it reloads its settings. */
async function reload(ssl: string): Promise<void> {
  await admin.query('SELECT pg_reload_conf()');
  await waitUntil(`ssl is ${ssl}`, async () => (await admin.query<{ ssl: string }>('SHOW ssl')).rows[0]?.ssl === ssl);
}

/** @param host a name of this machine. */
function databaseUrl(host: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(`${server.url}/causeway`);
  url.hostname = host;
  url.search = new URLSearchParams(parameters).toString();
  return url.href;
}

/** One use of each connection that a program opens. */
const USES: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  migrations: migrate,
  inspection: async (url) => inspectDatabase(url, Date.now),
  pool: async (url) => withStore(url, (store) => store.ping()),
  'object-relational mapper': async (url) => withStore(url, (store) => store.halts.list()),
  lease: async (url) => withStore(url, (store) => store.lease.acquire('tls', 'test', 1_000)),
  'listener for wake-ups': async (url) => listenOnce(url, (store, heard, failed) => store.listen(heard, failed)),
  'listener for changes': async (url) =>
    listenOnce(url, (store, heard, failed) => store.listenToOperations(heard, failed)),
};

type Listen = (store: Store, heard: () => void, failed: (error: Error) => void) => { stop(): Promise<void> };

async function listenOnce(url: string, listen: Listen): Promise<void> {
  await withStore(url, async (store) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const listener = listen(store, resolve, reject);
    try {
      await promise;
    } finally {
      await listener.stop();
    }
  });
}

async function withStore(url: string, use: (store: Store) => Promise<unknown>): Promise<void> {
  const store = openStore({ databaseUrl: url, onIdleError: () => undefined });
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

const UNKNOWN_AUTHORITY = /unable to verify the first certificate|unable to get local issuer certificate/;

describe('a connection with sslmode=verify-full', () => {
  const uses = Object.entries(USES);
  const verified = (host: string, sslrootcert: string) => databaseUrl(host, { sslmode: 'verify-full', sslrootcert });
  const refusal = async (use: (url: string) => Promise<unknown>, url: string) =>
    use(url).then(() => 'accepted', listCodes);

  it('works for every kind, by the name and by the address in the certificate', async () => {
    await present(SERVER_CERTIFICATE);
    for (const host of ['localhost', '127.0.0.1'])
      for (const [name, use] of uses)
        expect([name, await refusal(use, verified(host, authority))]).toEqual([name, 'accepted']);
  });

  it('is refused when another authority signed the certificate', async () => {
    await present(SERVER_CERTIFICATE);
    for (const [name, use] of uses)
      expect([name, await refusal(use, verified('localhost', stranger))]).toEqual([
        name,
        expect.stringMatching(UNKNOWN_AUTHORITY),
      ]);
  });

  it('is refused when no authority of this machine signed it', async () => {
    await present(SERVER_CERTIFICATE);
    for (const [name, use] of uses)
      expect([name, await refusal(use, databaseUrl('localhost', { sslmode: 'verify-full' }))]).toEqual([
        name,
        expect.stringMatching(UNKNOWN_AUTHORITY),
      ]);
  });

  it('is refused when the certificate is for another host', async () => {
    // It names only 127.0.0.1, and is self-signed.
    await present(STRANGER_CERTIFICATE);
    for (const [name, use] of uses) {
      expect([name, await refusal(use, verified('localhost', stranger))]).toEqual([
        name,
        expect.stringMatching(/ERR_TLS_CERT_ALTNAME_INVALID|Hostname\/IP does not match/),
      ]);
      expect([name, await refusal(use, verified('127.0.0.1', stranger))]).toEqual([name, 'accepted']);
    }
  });

  it('is the only kind that the server accepts', async () => {
    await expect(inspectDatabase(databaseUrl('localhost', { sslmode: 'disable' }), Date.now)).rejects.toThrow(
      /no encryption/,
    );
  });
});

/** Code and message of an error and of its causes: the drivers and the ORM keep the reason in different places. */
function listCodes(error: unknown): string {
  const { code = '', message = '', cause } = error as Partial<NodeJS.ErrnoException>;
  return `${code} ${message} ${cause === undefined ? '' : listCodes(cause)}`;
}
