import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { injectWallet, openPage, startChromium } from '@causeway/test-kit';
import { privateKeyToAccount } from 'viem/accounts';
import { readPrograms } from './integrator-programs.js';
import type { TestEnvironment } from '../temporary-environment.js';
import type { PartnerFolder } from './partner-folder.js';

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };
const PATIENCE_MS = 60_000;
/** Time in which a page that resumes without a click would have asked its wallet. */
const QUIET_MS = 2_000;

/** The outcome of two refused deposits in the page of docs/integrate/sdk.md. The user sends one again. */
export interface ReloadedDeposit {
  /** Text of the page at the end. */
  readonly text: string;
  /** Labels of the buttons after the refusals, before and after a reload. */
  readonly offers: readonly (readonly string[])[];
  /** Number of requests to send: after the refusals, after the reload, and at the end. */
  readonly sendings: readonly number[];
  readonly problems: readonly string[];
}

/**
 * Builds the page with Vite, refuses two deposits in Chromium with a browser wallet, and reloads the page. Then it
 * sends one again, reloads the page midway, and discards the other.
 */
export async function depositInPage(
  partner: PartnerFolder,
  { stack, accounts, ethereum }: TestEnvironment,
): Promise<ReloadedDeposit> {
  await partner.run('npm install @causeway/sdk viem vite@8.3.8');
  partner.write('page.ts', readPrograms().get('page.ts') ?? '');
  partner.write(
    'index.html',
    `<!doctype html><script type="module" src="/page.ts"></script>
<body data-api="${stack.apiUrl}"><pre></pre></body>`,
  );
  partner.write('vite.config.js', `export default { build: { target: 'es2022' } };`);
  await partner.run('npx vite build');
  const server = await serve(partner);
  const browser = await startChromium();
  try {
    const { page, context, problems } = await openPage(browser);
    const chainId = await ethereum.client.getChainId();
    const account = privateKeyToAccount(accounts.bob.privateKey);
    const wallet = await injectWallet(context, 'Test wallet', account, { [chainId]: stack.ethereum.rpcUrl });
    const { port } = server.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/index.html`);
    const countSendings = () => wallet.calls.filter((method) => method === 'eth_sendTransaction').length;
    const sendings: number[] = [];
    const offers: string[][] = [];
    const read = async () => {
      sendings.push(countSendings());
      offers.push((await page.locator('button').allInnerTexts()).toSorted());
    };
    const again = page.getByText('Send ETH again');
    wallet.mood = 'refuse';
    for (const refusal of [0, 1]) {
      await page.getByText('Deposit', { exact: true }).click();
      await again.nth(refusal).waitFor({ timeout: PATIENCE_MS });
    }
    await read();
    wallet.mood = 'sign';
    await page.reload();
    await page.getByText('Deposit', { exact: true }).waitFor({ timeout: PATIENCE_MS });
    await page.waitForTimeout(QUIET_MS);
    await read();
    await again.first().click();
    const isSent = () => Object.values(localStorage).some((record) => String(record).includes('"hash"'));
    await page.waitForFunction(isSent, null, { timeout: PATIENCE_MS });
    await page.reload();
    await page.getByText('Discard ETH').click({ timeout: PATIENCE_MS });
    await page.getByText('COMPLETED').waitFor({ timeout: PATIENCE_MS });
    await page.waitForFunction(() => localStorage.length === 0, null, { timeout: PATIENCE_MS });
    await read();
    return { text: await page.innerText('pre'), offers, sendings, problems };
  } finally {
    await browser.close();
    server.close();
  }
}

async function serve(partner: PartnerFolder): Promise<Server> {
  const server = createServer((request, response) => {
    const path = `dist${new URL(request.url ?? '/', 'http://localhost').pathname}`;
    void readFile(partner.resolve(path)).then(
      (body) => response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'text/plain' }).end(body),
      () => response.writeHead(404).end(),
    );
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return server;
}
