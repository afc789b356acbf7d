import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { injectWallet, openPage, startChromium, waitUntil } from '@causeway/test-kit';
import { build } from 'esbuild';
import { readPrograms } from '../integration/integrator-programs.js';
import type { TestEnvironment } from '../temporary-environment.js';
import { fundUsers } from './users.js';

/** Lines of the page in docs/integrate/react.md. */
const MOST_LINES = 25;
/** Other users keep the machine busy. */
const PATIENCE_MS = 120_000;
/** Mounts the page's app with the browser's wallet. */
const MAIN = `
import { connectBridge, fromProvider } from '@causeway/sdk';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

addEventListener('eip6963:announceProvider', async ({ detail: { provider } }) => {
  const [account] = await provider.request({ method: 'eth_requestAccounts' });
  const bridge = connectBridge({ apiUrl: document.body.dataset['api'] });
  const app = <App bridge={bridge} wallet={fromProvider(provider, account)} />;
  createRoot(document.body).render(<StrictMode>{app}</StrictMode>);
}, { once: true });
dispatchEvent(new Event('eip6963:requestProvider'));
`;

/** Deposits in the page of docs/integrate/react.md under StrictMode, refuses once, and reloads it midway. */
export async function depositInReactPage(environment: TestEnvironment): Promise<void> {
  const { stack, ethereum } = environment;
  const transfers = readPrograms().get('transfers.tsx') ?? '';
  expect(transfers.trim().split('\n').length).toBeLessThanOrEqual(MOST_LINES);
  const [user] = await fundUsers(environment, [{ ethereum: { ETH: 10n ** 18n }, partner: {} }]);
  if (user === undefined) throw new Error('No user');
  const server = await serve(stack.apiUrl);
  const browser = await startChromium();
  try {
    const { page, context, problems } = await openPage(browser);
    context.setDefaultTimeout(PATIENCE_MS);
    const chains = { [await ethereum.client.getChainId()]: stack.ethereum.rpcUrl };
    const wallet = await injectWallet(context, 'Test wallet', user.account, chains);
    const countWindows = () => wallet.calls.filter((method) => method === 'eth_sendTransaction').length;
    const readRecords = async () => page.evaluate(() => Object.values(localStorage).join());

    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await page.getByText('0.05 ETH arrive').waitFor();
    wallet.mood = 'refuse';
    await page.click('text=Deposit 0.05 ETH');
    await page.getByText('The wallet refused').waitFor();
    await page.reload();
    await page.getByText('Refused in the wallet').waitFor();
    expect(countWindows()).toBe(1);

    wallet.mood = 'sign';
    await page.click('text=Send again');
    await waitUntil('the hash is kept', async () => (await readRecords()).includes('"hash"'));
    await page.reload();
    await page.getByText('COMPLETED').waitFor();
    expect(countWindows()).toBe(2);
    expect(await ethereum.client.getTransactionCount({ address: user.account.address })).toBe(1);

    await page.click('text=Discard');
    expect(await readRecords()).toBe('');
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
    server.close();
  }
}

/** Bundles the programs of the page, and serves them. */
async function serve(apiUrl: string) {
  // Packages are resolved from here, and git ignores the folder.
  const folder = mkdtempSync(fileURLToPath(new URL('../.docs-scripts-', import.meta.url)));
  try {
    const programs = readPrograms();
    for (const name of ['app.tsx', 'transfers.tsx']) writeFileSync(join(folder, name), programs.get(name) ?? '');
    writeFileSync(join(folder, 'main.tsx'), MAIN);
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'main.tsx')],
      bundle: true,
      format: 'esm',
      jsx: 'automatic',
      // React mounts twice only in its development build.
      define: { 'process.env.NODE_ENV': '"development"' },
      write: false,
    });
    const script = outputFiles[0]?.text ?? '';
    const html = `<!doctype html><body data-api="${apiUrl}"></body><script type="module" src="/main.js"></script>`;
    const server = createServer(({ url }, response) => {
      const [type, body] = url === '/main.js' ? ['text/javascript', script] : ['text/html', html];
      response.writeHead(200, { 'content-type': `${type};charset=utf-8` }).end(body);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return server;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
