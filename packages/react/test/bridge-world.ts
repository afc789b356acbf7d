import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ConfigResponse } from '@causeway/protocol';
import { depositEventAbi } from '@causeway/protocol/abi';
import { openPage, readExampleAnswers, startChromium } from '@causeway/test-kit';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import {
  encodeAbiParameters,
  encodeEventTopics,
  numberToHex,
  padHex,
  parseAbiParameters,
  parseEther,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import type { Shown } from './page.js';

const EXAMPLES = readExampleAnswers();
/** An answer of the real API, with some fields of another value. */
export const makeAnswer = <T = object>(name: string, changes: object = {}): T =>
  ({ ...EXAMPLES[name]?.response, ...changes }) as T;
const CONFIG = makeAnswer<ConfigResponse>('getConfig');
const ACCOUNT: Address = '0x811085f5b5d1b29598e73ca51de3d712f5d3103a';
const TYPES = { '.js': 'text/javascript', '': 'text/html' };

interface WalletCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value: Hex;
}
type Query = Readonly<Record<string, string>>;
type Answer = (query: Query, response: ServerResponse) => object | null;

/** A bridge, a chain and a user's wallet in memory, for pages of `test/page.tsx`. */
export class BridgeWorld {
  /** What the user or the wallet's connection does in a window. */
  mood: 'send' | 'refuse' | 'break' | 'wait' = 'send';
  isMining = true;
  hasReverted = false;
  windows = 0;
  /** Mined and pending deposits. */
  readonly sent: Hex[] = [];
  private readonly calls: { readonly to: Address; readonly input: Hex; readonly value: Hex }[] = [];
  /** Paths of the API's requests. */
  readonly requests: string[] = [];
  /** Answers of the API, by path. Null if the function has written the answer. */
  readonly api: Record<string, Answer> = {
    'bridge/config': () => CONFIG,
    'bridge/fee-quote': ({ amount = '0' }) => {
      const units = `${parseEther(amount)}`;
      const output = { outputAmount: units, outputAmountFormatted: amount };
      const fee = { feeAmount: '0', feeAmountFormatted: '0', feeBps: 0 };
      const direction = 'ETHEREUM_TO_PARTNER';
      return makeAnswer('getFeeQuote', {
        direction,
        inputAmount: units,
        inputAmountFormatted: amount,
        ...output,
        ...fee,
      });
    },
  };

  count(path: string): number {
    return this.requests.filter((each) => each === path).length;
  }

  async request({ method, params = [] }: { readonly method: string; readonly params?: readonly unknown[] }) {
    if (method === 'eth_sendTransaction') return this.openWindow(params[0] as WalletCall);
    return { result: this.answer(method, params) };
  }

  private async openWindow({
    to,
    data,
    value,
  }: WalletCall): Promise<{ result: Hex } | { code: number; message: string }> {
    this.windows += 1;
    if (this.mood === 'refuse') return { code: 4001, message: 'User rejected the request.' };
    if (this.mood === 'break') return { code: -32_603, message: 'the connection broke' };
    if (this.mood === 'wait') return new Promise(() => undefined);
    const hash = padHex(numberToHex(this.sent.length + 1), { size: 32 });
    this.sent.push(hash);
    this.calls.push({ to, input: data, value });
    return { result: hash };
  }

  private answer(method: string, [first, second]: readonly unknown[]): unknown {
    const mined = this.isMining ? this.sent : [];
    switch (method) {
      case 'eth_chainId':
        return numberToHex(CONFIG.ethereum.chainId);
      case 'eth_accounts':
        return [ACCOUNT];
      case 'eth_getBlockByNumber':
        return { number: numberToHex(mined.length), timestamp: '0x10', baseFeePerGas: '0x1', transactions: [] };
      case 'eth_getBalance':
        return numberToHex(parseEther('9'));
      case 'eth_getCode':
        return '0x';
      case 'eth_estimateGas':
        return '0x5208';
      case 'eth_getTransactionCount':
        return numberToHex(second === 'pending' ? this.sent.length : mined.length);
      case 'eth_getTransactionByHash': {
        const nonce = this.sent.indexOf(first as Hex);
        return nonce < 0 ? null : { ...this.calls[nonce], hash: first, from: ACCOUNT, nonce: numberToHex(nonce) };
      }
      case 'eth_getTransactionReceipt':
        return mined.includes(first as Hex) ? makeReceipt(first as Hex, this.hasReverted) : null;
      case 'eth_getLogs':
        return this.hasReverted ? [] : mined.flatMap((hash) => makeReceipt(hash).logs);
      default:
        throw new Error(`${method} is not available`);
    }
  }
}

function makeReceipt(hash: Hex, hasReverted = false) {
  const data = encodeAbiParameters(parseAbiParameters('address, uint256, uint256'), [ACCOUNT, parseEther('0.5'), 0n]);
  const args = { depositId: hash, token: zeroAddress, sender: ACCOUNT };
  const topics = encodeEventTopics({ abi: depositEventAbi, args });
  // The block has the number of the only transaction in it.
  const mined = { transactionHash: hash, blockNumber: numberToHex(BigInt(hash)) };
  if (hasReverted) return { ...mined, status: '0x0', logs: [] };
  return { ...mined, status: '0x1', logs: [{ ...mined, address: CONFIG.ethereum.bridgeLock, topics, data }] };
}

/** Uses what the hooks of a page have returned. */
export async function use<T>(page: Page, work: (shown: Shown) => T): Promise<T> {
  return page.evaluate(`(${work.toString()})(globalThis.shown)`);
}

/** A browser whose pages show one world. */
export interface Browser {
  /** Opens a window with its own storage: another one for each tab that `open` returns. */
  readonly open: (world: BridgeWorld, show: readonly string[], amount?: string) => Promise<Page>;
  readonly openTab: (page: Page) => Promise<Page>;
  readonly problems: string[];
  readonly close: () => Promise<void>;
}

/** Bundles the page, serves it with the API, and starts Chromium. */
export async function startBrowser(): Promise<Browser> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.tsx')],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    // StrictMode mounts twice only in development.
    define: { 'process.env.NODE_ENV': '"development"' },
    write: false,
  });
  const files: Readonly<Record<string, string>> = {
    '/page.js': outputFiles[0]?.text ?? '',
    '/': '<!doctype html><body></body><script type="module" src="/page.js"></script>',
  };
  let world = new BridgeWorld();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname.replace('/api/v1/', '');
    if (path === pathname) {
      const type = pathname.endsWith('.js') ? TYPES['.js'] : TYPES[''];
      response.writeHead(200, { 'content-type': type }).end(files[pathname]);
      return;
    }
    world.requests.push(path);
    const answer = world.api[path];
    const body =
      answer === undefined
        ? { error: 'OPERATION_NOT_FOUND', message: 'unknown' }
        : answer(Object.fromEntries(searchParams), response);
    if (body !== null)
      response
        .writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await startChromium();
  const contexts: BrowserContext[] = [];
  const problems: string[] = [];
  return {
    problems,
    open: async (next, show, amount) => {
      for (const context of contexts.splice(0)) await context.close();
      world = next;
      const watched = await openPage(browser);
      contexts.push(watched.context);
      watched.page.on('pageerror', (error) => problems.push(error.message));
      await watched.context.exposeFunction('requestWallet', world.request.bind(world));
      await watched.context.addInitScript(() => {
        const { requestWallet } = globalThis as unknown as { requestWallet: BridgeWorld['request'] };
        const askWallet = async (call: Parameters<BridgeWorld['request']>[0]) => {
          const answer = await requestWallet(call);
          if ('result' in answer) return answer.result;
          throw Object.assign(new Error(answer.message), answer);
        };
        Object.assign(globalThis, { askWallet });
      });
      const query = new URLSearchParams([['account', ACCOUNT], ...show.map((name) => ['show', name])]);
      if (amount !== undefined) query.set('amount', amount);
      await watched.page.goto(`${origin}/?${query.toString()}`);
      return watched.page;
    },
    openTab: async (page) => {
      const tab = await page.context().newPage();
      await tab.goto(page.url());
      return tab;
    },
    close: async () => {
      await browser.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
