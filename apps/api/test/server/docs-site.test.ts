import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { PostgresServer } from '@causeway/test-kit';
import { migratedDatabase, startApiProcess, type ApiProcess } from './api-process.js';

// The nightly workflow builds the real site and opens it in a browser: docs/site.

const FILES = {
  'index.html': 'the front page',
  '404.html': 'no such page',
  'use/index.html': 'how to use it',
  'use.md': '# How to use it',
  '_astro/page.1a2b.js': 'export {}',
  '.notes/index.html': 'notes of the build',
};

let folder: string;
let database: PostgresServer;
let api: ApiProcess;
beforeAll(async () => {
  const parent = mkdtempSync(join(tmpdir(), 'causeway-docs-'));
  writeFileSync(join(parent, 'secret.txt'), 'a secret');
  folder = join(parent, 'dist');
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  database = await migratedDatabase();
  api = await startApiProcess(database.url, { DOCS_FOLDER: folder });
});
afterAll(async () => {
  await api?.stop();
  await database?.stop();
  rmSync(join(folder, '..'), { recursive: true });
});

/** Sends a path unchanged; `fetch` would resolve the dots in it. */
async function getRaw(path: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get(api.url, { path }, resolve).once('error', reject),
  );
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

it.each([
  ['/docs', 'docs/'],
  ['/docs/use', 'use/'],
])('redirects %s to %s', async (path, location) => {
  const { status, headers } = await getRaw(path);
  expect([status, headers.location]).toEqual([302, location]);
});

it.each([
  ['/docs/', FILES['index.html'], 'text/html', 'no-cache'],
  ['/docs/use/?from=here', FILES['use/index.html'], 'text/html', 'no-cache'],
  ['/docs/use.md', FILES['use.md'], 'text/markdown', 'no-cache'],
  ['/docs/_astro/page.1a2b.js', FILES['_astro/page.1a2b.js'], 'text/javascript', 'public, max-age=31536000, immutable'],
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
  expect(await getRaw(path)).toMatchObject({ status: 404, body: FILES['404.html'] });
});
