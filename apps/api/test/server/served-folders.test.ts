import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from '@causeway/store';
import { aBlock, aDeposit, opening } from '@causeway/store/test';
import { aHash, ETHEREUM, type PostgresServer } from '@causeway/test-kit';
import { migratedDatabase, startApiProcess, type ApiProcess } from './api-process.js';

// The nightly workflow builds the real site and opens it in a browser: docs/site. apps/web opens its page.

const SITE = {
  'index.html': 'the front page',
  '404.html': 'no such page',
  'use/index.html': 'how to use it',
  'use.md': '# How to use it',
  '_astro/page.1a2b.js': 'export {}',
  '.notes/index.html': 'notes of the build',
};
const PAGE = '<!doctype html><head><title>Causeway</title></head>';
const SETTINGS = {
  apiUrl: '/api/v1',
  ethereum: { name: 'Ethereum', rpcUrls: ['https://eth.example/key'] },
  partner: { name: '<Partner>', rpcUrls: ['http://127.0.0.1:8546'] },
  walletModules: [{ name: 'Phone', module: '/phone.js', connect: ['wss://relay.example/v2'] }],
};
const WEB = {
  'index.html': PAGE,
  'check.html': '<!doctype html><title>Check</title>',
  'settings.json': JSON.stringify(SETTINGS),
  'assets/index-1a2b.js': 'export {}',
};
const DEPOSIT = aDeposit({ asset: 'USDC', amount: 25_500_000n });
const DEPOSIT_TX = aHash();

let parent: string;
let database: PostgresServer;
let api: ApiProcess;
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'causeway-folders-'));
  writeFileSync(join(parent, 'secret.txt'), 'a secret');
  database = await migratedDatabase();
  const store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
  const fence = await store.lease.acquire('relayer', 'test', 600_000);
  await store.scan.begin(fence!, ETHEREUM, 1n);
  const block = aBlock(1n, { events: [{ ...opening(DEPOSIT, 0), txHash: DEPOSIT_TX }] });
  await store.scan.extend(fence!, ETHEREUM, [block], block.number);
  await store.close();
  api = await startApiProcess(database.url, {
    DOCS_FOLDER: folder('docs', SITE),
    WEB_FOLDER: folder('web', WEB),
    RATE_LIMIT_PER_MINUTE: '10000',
  });
});
afterAll(async () => {
  await api?.stop();
  await database?.stop();
  rmSync(parent, { recursive: true });
});

function folder(name: string, files: Readonly<Record<string, string>>): string {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(join(parent, name, file, '..'), { recursive: true });
    writeFileSync(join(parent, name, file), content);
  }
  return join(parent, name);
}

/** Sends a path unchanged; `fetch` would resolve the dots in it. */
async function getRaw(path: string, method = 'GET') {
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    request(api.url, { path, method }, resolve).once('error', reject).end(),
  );
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

describe('DOCS_FOLDER', () => {
  it.each([
    ['/docs', 'docs/'],
    ['/docs/use', 'use/'],
  ])('redirects %s to %s', async (path, location) => {
    const { status, headers } = await getRaw(path);
    expect([status, headers.location]).toEqual([302, location]);
  });

  it.each([
    ['/docs/', SITE['index.html'], 'text/html', 'no-cache'],
    ['/docs/use/?from=here', SITE['use/index.html'], 'text/html', 'no-cache'],
    ['/docs/use.md', SITE['use.md'], 'text/markdown', 'no-cache'],
    [
      '/docs/_astro/page.1a2b.js',
      SITE['_astro/page.1a2b.js'],
      'text/javascript',
      'public, max-age=31536000, immutable',
    ],
  ])('answers GET %s', async (path, expected, type, caching) => {
    const { status, headers, body } = await getRaw(path);
    expect([status, body]).toEqual([200, expected]);
    expect(headers).toMatchObject({ 'content-type': `${type}; charset=utf-8`, 'cache-control': caching });
    expect(headers['content-security-policy']).not.toMatch(/https?:|\*/);
  });

  it.each([
    '/docs/nowhere/',
    '/docs/.notes/',
    '/docs/../secret.txt',
    '/docs/..%2fsecret.txt',
    '/docs/%2e%2e/secret.txt',
    '/docs//etc/passwd',
  ])('has its own page for %s, which is not a file of the site', async (path) => {
    expect(await getRaw(path)).toMatchObject({ status: 404, body: SITE['404.html'] });
  });
});

describe('WEB_FOLDER', () => {
  it.each(['/', '/index.html', '/?asset=USDC', '/find', '/history/0x12', '/anything/else/'])(
    'answers GET %s with the page',
    async (path) => {
      const { status, headers, body } = await getRaw(path);
      expect([status, body]).toEqual([200, PAGE]);
      expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
      const [connected] = /(?<=connect-src )[^;]*/.exec(String(headers['content-security-policy'])) ?? [];
      expect(connected).toBe(
        "'self' https://eth.example http://127.0.0.1:8546 wss://eth.example ws://127.0.0.1:8546 wss://relay.example",
      );
      expect(await getRaw(path, 'HEAD')).toMatchObject({
        status: 200,
        body: '',
        headers: { 'cache-control': 'no-cache' },
      });
    },
  );

  it('allows the document of the check any node, but no plain HTTP beyond this machine', async () => {
    const { body, headers } = await getRaw('/check.html');
    expect(body).toBe(WEB['check.html']);
    expect(headers['content-security-policy']).toContain(
      "connect-src 'self' https: wss: http://127.0.0.1:* http://localhost:* ws://127.0.0.1:* ws://localhost:*;",
    );
  });

  it.each([
    ['/assets/index-1a2b.js', 'text/javascript', 'public, max-age=31536000, immutable'],
    ['/settings.json', 'application/json', 'no-cache'],
  ])('serves the file %s', async (path, type, caching) => {
    const { status, headers } = await getRaw(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': `${type}; charset=utf-8`, 'cache-control': caching });
  });

  it.each(['/assets/index-0000.js', '/api/v1/nothing', '/api', '/health/nothing'])(
    'does not answer GET %s with the page',
    async (path) => {
      const { status, body } = await getRaw(path);
      expect([status, JSON.parse(body)]).toMatchObject([404, { error: 'NOT_FOUND' }]);
    },
  );

  it.each([
    ['/', true],
    ['/assets/index-1a2b.js', false],
    ['/settings.json', false],
    ['/find', false],
    ['/api/v1/nothing', true],
    ['/transfer/0x12', true],
  ])('counts GET %s towards the rate of a client: %s', async (path, isCounted) => {
    expect('ratelimit-remaining' in (await getRaw(path)).headers).toBe(isCounted);
  });

  it('leaves the endpoints their methods', async () => {
    expect(await getRaw('/api/v1/bridge/transactions')).toMatchObject({
      status: 405,
      headers: { allow: 'POST, OPTIONS' },
    });
    expect((await getRaw('/find', 'POST')).status).toBe(404);
  });

  it.each([
    ['its id', DEPOSIT.id],
    ['its transaction', DEPOSIT_TX.toUpperCase().replace('0X', '0x')],
  ])('describes a transfer in the page of %s, escaped', async (_, id) => {
    const { headers, body } = await getRaw(`/transfer/${id}`);
    expect(body).toBe(
      '<!doctype html><head><title>25.5 USDC to &#60;Partner&#62;: confirming</title>' +
        '<meta property="og:title" content="25.5 USDC to &#60;Partner&#62;: confirming" />' +
        '<meta property="og:description" content="A transfer of 25.5 USDC from Ethereum to &#60;Partner&#62;. ' +
        'Status: confirming." /></head>',
    );
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
  });

  it.each([aHash(), '0x12', '%3Cscript%3E'])('answers with the plain page for the unknown transfer %s', async (id) => {
    expect(await getRaw(`/transfer/${id}`)).toMatchObject({ status: 200, body: PAGE });
  });
});
