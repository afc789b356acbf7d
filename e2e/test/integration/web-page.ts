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

/** The outcome of a deposit by the page of docs/integrate/sdk.md, reloaded midway. */
export interface ReloadedDeposit {
  /** Text of the page at the end. */
  readonly text: string;
  readonly sendings: number;
  /** Records kept at the end. */
  readonly records: number;
  readonly problems: readonly string[];
}

/** Builds the page with Vite, deposits in Chromium with a browser wallet, and reloads it midway. */
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
    await page.click('button');
    const isSent = () => Object.values(localStorage).some((record) => String(record).includes('"hash"'));
    await page.waitForFunction(isSent, null, { timeout: PATIENCE_MS });
    await page.reload();
    await page.getByText('COMPLETED').waitFor({ timeout: PATIENCE_MS });
    await page.waitForFunction(() => localStorage.length === 0, null, { timeout: PATIENCE_MS });
    return {
      text: await page.innerText('pre'),
      sendings: wallet.calls.filter((method) => method === 'eth_sendTransaction').length,
      records: await page.evaluate(() => localStorage.length),
      problems,
    };
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
