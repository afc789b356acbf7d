import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PostgresServer } from '@causeway/test-kit';
import { migratedDatabase, startApiProcess, type ApiProcess } from './api-process.js';

let database: PostgresServer;
let api: ApiProcess;
beforeAll(async () => {
  database = await migratedDatabase();
  api = await startApiProcess(database.url);
});
afterAll(async () => {
  await api?.stop();
  await database?.stop();
});

/** Fetches a reference of the page like a browser. */
async function load(reference: string) {
  const url = new URL(reference, `${api.url}/api/v1/reference`);
  const response = await fetch(url);
  return { origin: url.origin, response, text: await response.text() };
}

// The document does not describe paths outside /api/v1, so this request bypasses the checks of `fetch`.
it('GET / redirects to the reference', async () => {
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get(`${api.url}/`, resolve).once('error', reject),
  );
  response.resume();
  expect(response.statusCode).toBe(302);
  const target = new URL(response.headers.location ?? '', `${api.url}/`);
  expect((await load(target.href)).text).toContain('Causeway bridge: REST API');
});

describe('GET /api/v1/reference', () => {
  it('is a page whose files are all served here, under a policy that allows only them', async () => {
    const { response, text: page } = await load('reference');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const references = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference]) => reference!);
    expect(references).toHaveLength(4);
    for (const reference of references.filter((each) => each !== 'data:,')) {
      const { origin, response: file, text } = await load(reference);
      expect([reference, origin, file.status]).toEqual([reference, api.url, 200]);
      const type = reference.endsWith('.css') ? 'text/css' : 'text/javascript';
      expect(file.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      // No style sheets or source maps from other servers.
      if (type === 'text/css') expect(text).not.toMatch(/@import|url\((?!["']?data:)/);
    }
    // The policy refuses inline scripts, so the page has none.
    expect(page).not.toMatch(/<script>|<script [^>]*>[^<]|\son\w+=|<style/);
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("connect-src 'self';");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  });

  it('shows the document of this API, with the name that the bundle defines', async () => {
    const { text: show } = await load('reference/show.js');
    const [, name, document] = /^(\w+)\(.*url: '([^']+)'/.exec(show)!;
    const { text: bundle } = await load('reference/swagger-ui-bundle.js');
    expect(bundle).toContain(`.${name}=`);
    expect(show).toContain('validatorUrl: null');
    const { response, text } = await load(document!);
    expect([response.status, JSON.parse(text)]).toMatchObject([200, { openapi: '3.1.0' }]);
  });

  it('serves no other file, and does not change the policy of other responses', async () => {
    for (const file of ['other.js', '..%2f..%2fpackage.json', 'constructor'])
      expect((await fetch(`${api.url}/api/v1/reference/${file}`)).status).toBe(404);
    const { headers } = await fetch(`${api.url}/health/live`);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  });
});
