import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConsole } from '../../src/admin/console.controller.js';
import { StaticFile } from '../../src/server/static-files.js';
import { temporaryAdmin, type TemporaryAdmin } from './temporary-admin.js';

// Tests how the console is served. Its own package tests it in a browser under this policy.

const SCRIPT = `import('./page.js');\n`.repeat(50);
const PAGE = '<!doctype html><script nonce="__CSP_NONCE__"></script><link rel="stylesheet" nonce="__CSP_NONCE__">';
const FILES = new Map([
  ['/index.html', new StaticFile('text/html; charset=utf-8', Buffer.from(PAGE), false)],
  ['/assets/index-1a2b.js', new StaticFile('text/javascript; charset=utf-8', Buffer.from(SCRIPT), true)],
  ['/icon.svg', new StaticFile('image/svg+xml', Buffer.from('<svg/>'), false)],
]);

let t: TemporaryAdmin;
beforeAll(async () => {
  t = await temporaryAdmin(undefined, {}, [], FILES);
});
afterAll(async () => t?.close());

const get = async (url: string, headers: Record<string, string> = {}) => t.sendTo({ url, headers });
const findNonce = (text: string) => /nonce="([^"]+)"/.exec(text)?.[1] ?? '';

describe('the page', () => {
  it.each(['/', '/index.html', '/operations', `/operations/0x${'1'.repeat(64)}?status=DELAYED`, '/refunds/'])(
    'is served at %s without a session',
    async (path) => {
      const { status, headers, text } = await get(path);
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(text).toBe(PAGE.replaceAll('__CSP_NONCE__', findNonce(text)));
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
    },
  );

  it('can run only the scripts of its own response, by a unique nonce', async () => {
    const [first, second] = [await get('/'), await get('/')];
    const nonce = findNonce(first.text);
    expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
    expect(findNonce(second.text)).not.toBe(nonce);
    expect(first.headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'nonce-${nonce}' 'strict-dynamic'; style-src 'self' 'nonce-${nonce}'; ` +
        `connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; ` +
        `frame-ancestors 'none'; require-trusted-types-for 'script'`,
    );
  });

  it('has the same headers for HEAD', async () => {
    const { status, headers, text } = await t.sendTo({ url: '/', method: 'HEAD' });
    expect([status, text]).toEqual([200, '']);
    expect(headers['content-security-policy']).toContain('strict-dynamic');
  });
});

describe('a file', () => {
  it('with a hash in its name is cached by browsers, and compressed if they accept it', async () => {
    const path = '/assets/index-1a2b.js';
    const zipped = await t.admin.inject({ url: path, headers: { 'accept-encoding': 'br, gzip;q=0.8' } });
    expect(zipped.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(SCRIPT);
    for (const coding of ['', 'br', 'gzip;q=0', 'gzip; q=0.000']) {
      const { headers, text } = await get(path, { 'accept-encoding': coding });
      expect([headers['content-encoding'], text]).toEqual([undefined, SCRIPT]);
    }
  });

  it('without a hash is revalidated', async () => {
    const { headers } = await get('/icon.svg');
    expect([headers['content-type'], headers['cache-control']]).toEqual(['image/svg+xml', 'no-cache']);
  });

  it.each(['/assets/index-0000.js', '/assets/..%2ficon.svg'])('from another build is 404: %s', async (path) => {
    expect(await get(path)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
  });
});

describe('a path of the API', () => {
  it.each(['/api', '/api/v1/admin/nothing', '/api/v1/bridge/config'])('does not return the page: %s', async (path) => {
    expect(await get(path)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
  });
});

describe('a console that is not built', () => {
  it('is 404 with the build command; the admin API works', async () => {
    const other = await temporaryAdmin();
    expect(await other.sendTo({ url: '/operations' })).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining('@causeway/admin') },
    });
    expect((await other.send({ url: '/session' })).status).toBe(401);
    await other.close();
  });
});

describe('the built console', () => {
  it('references only served files, and marks each script and style with the nonce', () => {
    const built = readConsole();
    const page = built?.get('/index.html')?.plain.toString() ?? '';
    const tags = page.match(/<(script|link)[^>]*(src|href)="[^"]*"[^>]*>/g) ?? [];
    expect(tags.length).toBeGreaterThan(2);
    for (const tag of tags) {
      const path = /(?:src|href)="([^"]*)"/.exec(tag)?.[1] ?? '';
      expect([...(built?.keys() ?? [])]).toContain(path);
      if (path.startsWith('/assets/')) expect(tag).toContain('nonce="__CSP_NONCE__"');
    }
  });
});
