import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { migrate, MIGRATIONS, toMigrations } from '@causeway/store/schema';
import { temporaryDatabase, type PostgresServer } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const CLI = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));
const NEWEST = MIGRATIONS.at(-1)!.name;

let database: PostgresServer;
let api: Server;
let apiStatus = 200;

beforeAll(async () => {
  database = await temporaryDatabase(migrate);
  api = createServer((_request, response) => response.writeHead(apiStatus).end('{"status":"..."}'));
  await once(api.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  api?.close();
  await database?.stop();
});

async function check(words: readonly string[] = [], url = database.url) {
  const done = promisify(execFile)(process.execPath, [CLI, 'upgrade', '--check', ...words], {
    env: { DATABASE_URL: url },
  });
  return done.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

const apiUrl = () => `http://127.0.0.1:${(api.address() as AddressInfo).port}/api/v1`;

describe('causeway-admin upgrade --check', () => {
  it('reports migrations, programs, relayers and health', async () => {
    const { code, stdout } = await check(['--api', apiUrl()]);
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        `ok       migrations    none is pending; ${MIGRATIONS.length} applied, the newest ${NEWEST}`,
        'ok       programs      none is connected',
        'warning  relayers      none is active -> start two, so that one takes over',
        `ok       health        ${apiUrl()}/health is healthy`,
      ]),
    );
    expect(code).toBe(0);
  });

  it('shows the migrations of an empty database', async () => {
    const empty = await temporaryDatabase();
    try {
      const { code, stdout } = await check(['--json'], empty.url);
      const { findings } = JSON.parse(stdout) as { findings: { check: string; finding: string }[] };
      const bySubject = Object.groupBy(findings, (finding) => finding.check);
      expect(bySubject['migrations']).toEqual([expect.objectContaining({ finding: expect.stringContaining(NEWEST) })]);
      expect(bySubject['relayers']).toEqual([
        expect.objectContaining({ severity: 'warning', finding: 'none is active' }),
      ]);
      expect(code).toBe(0);
    } finally {
      await empty.stop();
    }
  });

  it('exits with 1 when the bridge is not healthy, and says where', async () => {
    apiStatus = 503;
    const { code, stdout } = await check(['--api', apiUrl()]);
    expect(stdout).toContain(`error    health        ${apiUrl()}/health answers 503`);
    expect(code).toBe(1);
  });

  it('exits with 78 on a schema that does not serve this release', async () => {
    const newer = await temporaryDatabase(migrate);
    try {
      const name = '20991231000000_contracting';
      const script = `INSERT INTO schema_compatibility (migration, oldest_program) VALUES ('${name}', '${name}')`;
      await migrate(newer.url, { migrations: [...MIGRATIONS, ...toMigrations([{ name, script }])], mayContract: true });
      const { code, stdout } = await check([], newer.url);
      expect(stdout).toContain(`error    migrations    migrations do not serve this release: ${name}`);
      expect(code).toBe(78);
    } finally {
      await newer.stop();
    }
  });

  it('exits with 78 without a database, and refuses to run without --check', async () => {
    expect(await check([], '')).toMatchObject({ code: 78, stderr: expect.stringContaining('DATABASE_URL') });
    const run = promisify(execFile)(process.execPath, [CLI, 'upgrade'], { env: {} });
    await expect(run).rejects.toMatchObject({ stderr: expect.stringContaining('--check') });
  });
});
