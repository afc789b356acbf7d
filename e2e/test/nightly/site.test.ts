import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DELAY_REASONS, ERROR_CODES, FAILURE_REASONS, getErrorDocsPath, linkToDocs } from '@causeway/protocol';
import { openPage, startChromium, waitUntil } from '@causeway/test-kit';

// The site of docs/, built here and opened in a browser under the policy with which the API serves it.

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BUILD_MS = 10 * 60_000;

let site: ChildProcess;
let address: string;
let browser: Awaited<ReturnType<typeof startChromium>>;
beforeAll(async () => {
  site = spawn(process.execPath, ['docs/site/main.mjs'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: site.stdout! });
  address = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const [url] = /^http:\S+/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
    site.once('exit', (code) => reject(new Error(`The site was not built: exit code ${code}`)));
  });
  browser = await startChromium();
}, BUILD_MS);
afterAll(async () => {
  await browser?.close();
  site?.kill();
});

it('finds a page by a word in it, and asks no other host', async () => {
  const { page, problems } = await openPage(browser, { baseURL: address });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(address);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('textbox', { name: 'Search' }).fill('BELOW_MINIMUM');
  await page.locator('dialog a[href^="/docs/errors/below_minimum/"]').first().click();
  await page.waitForURL(`${address}errors/below_minimum/**`);
  expect(await page.locator('h1').textContent()).toBe('BELOW_MINIMUM');
  expect(asked.filter((path) => path.startsWith('/docs/pagefind/')).length).toBeGreaterThan(0);
  expect(problems).toEqual([]);
});

it('draws the diagrams', async () => {
  const { page, problems } = await openPage(browser, { baseURL: address });
  await page.goto(`${address}architecture/`);
  const count = await page.locator('pre.mermaid').count();
  expect(count).toBeGreaterThan(0);
  await waitUntil('all are drawn', async () => (await page.locator('pre.mermaid > svg').count()) === count);
  expect(await page.getByText('Syntax error in text').count()).toBe(0);
  expect(problems).toEqual([]);
});

it('has every page as Markdown, listed in llms.txt', async () => {
  const list = await (await fetch(new URL('llms.txt', address))).text();
  const links = [...list.matchAll(/^- \[.*?\]\((\/docs\/.*?\.md)\)/gm)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(100);
  for (const link of links) {
    const response = await fetch(new URL(link, address));
    expect([link, response.status, (await response.text()).startsWith('# ')]).toEqual([link, 200, true]);
  }
});

it.each([...Object.keys(ERROR_CODES), ...DELAY_REASONS, ...Object.keys(FAILURE_REASONS)])(
  'has the page to which %s leads',
  async (code) => {
    const response = await fetch(linkToDocs(getErrorDocsPath(code), address));
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(`<h1 id="_top"`)]);
  },
);
