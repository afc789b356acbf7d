import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { openPage, startChromium } from '@causeway/test-kit';
import type { TransferRecord, TransferTerms } from '@causeway/sdk';
import { build } from 'esbuild';
import type { Address } from 'viem';
import type { Flow } from './flows.js';
import type { WindowWallet } from './window-wallet.js';

/** Path of the package on the pages' origin. */
const SDK = '/sdk.js';
const ASKS: ReadonlySet<string> = new Set(['eth_sendTransaction', 'eth_signTypedData_v4']);

/** The moment at which a page is closed. */
export interface Death {
  /** Number of the wallet window, from 1, whose signature or transaction the page just receives or misses. */
  readonly window: number;
  /** Before the page receives the result, or after it has stored it. */
  readonly when: 'before' | 'after';
}

interface PageTransfer {
  readonly flow: Flow;
  readonly apiUrl: string;
  readonly wallet: WindowWallet;
  readonly sender: Address;
  readonly terms: TransferTerms;
}

/** Pages of one origin in Chromium, each with its own storage, which load a bundle of `@causeway/sdk`. */
export interface Pages {
  /** Begins a transfer in a page, closes the page midway, and returns the record from its `localStorage`. */
  readonly beginAndDie: (transfer: PageTransfer, death: Death) => Promise<TransferRecord>;
  readonly close: () => Promise<void>;
}

/** Bundles the package, serves it, and starts Chromium. */
export async function openPages(): Promise<Pages> {
  const sdk = await bundleSdk();
  const server = createServer(({ url }, response) => {
    const [type, body] = url === SDK ? ['text/javascript', sdk] : ['text/html', '<!doctype html><title>Pay</title>'];
    response.writeHead(200, { 'content-type': type }).end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await startChromium();
  return {
    beginAndDie: async ({ flow, wallet, terms, apiUrl, sender }, death) => {
      const { page, context, problems } = await openPage(browser);
      const isClosed = new Promise<void>((resolve) => page.once('close', () => resolve()));
      let windows = 0;
      await page.exposeFunction('askWallet', async (request: Parameters<WindowWallet['request']>[0]) => {
        // The page has received and stored the answer before this request.
        if (death.when === 'after' && windows === death.window) return page.close();
        const answer = await wallet.request(request);
        if (ASKS.has(request.method)) windows += 1;
        if (death.when === 'before' && windows === death.window) return page.close();
        return answer;
      });
      await page.goto(origin);
      const end = page.evaluate(beginTransfer, { sdk: SDK, flow: flow.begin.name, apiUrl, sender, terms }).then(
        () => new Error('The transfer ended before its page was closed'),
        (error: Error) => error,
      );
      await Promise.race([isClosed, end]);
      if (!page.isClosed()) throw await end;
      const next = await context.newPage();
      await next.goto(origin);
      const records = await next.evaluate(listRecords, SDK);
      await context.close();
      const [record] = records;
      if (record === undefined || problems.length > 0) throw new Error(`The page left no record: ${problems.join()}`);
      return record;
    },
    close: async () => {
      await browser.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bundleSdk(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from '@causeway/sdk'`, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('The package was not bundled');
  return file.text;
}

// The functions below run in a page and cannot use this file's scope.

async function beginTransfer({
  sdk,
  flow,
  apiUrl,
  sender,
  terms,
}: {
  readonly sdk: string;
  readonly flow: string;
  readonly apiUrl: string;
  readonly sender: Address;
  readonly terms: TransferTerms;
}): Promise<void> {
  const causeway = (await import(sdk)) as typeof import('@causeway/sdk') & Readonly<Record<string, Flow['begin']>>;
  const { askWallet } = globalThis as unknown as { readonly askWallet: WindowWallet['request'] };
  const wallet = causeway.fromProvider({ request: askWallet }, sender);
  const options = { store: causeway.createBrowserStore(), pollMs: 100 };
  await causeway[flow]?.(causeway.connectBridge({ apiUrl }), wallet, terms, options);
}

async function listRecords(sdk: string): Promise<readonly TransferRecord[]> {
  const { createBrowserStore } = (await import(sdk)) as typeof import('@causeway/sdk');
  return createBrowserStore().list();
}
