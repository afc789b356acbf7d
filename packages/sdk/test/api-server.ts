import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  assetInfo,
  DEFAULT_FEE_POLICIES,
  listAssets,
  type AddressBook,
  type ConfigResponse,
  type FeeQuoteResponse,
} from '@causeway/protocol';
import { readExampleAnswers } from '@causeway/test-kit';
import { formatUnits, parseUnits, type Address } from 'viem';
import { connectBridge, type Bridge, type BridgeOptions } from '../src/index.js';

/** A request that arrived. */
interface SeenRequest {
  readonly method: string | undefined;
  /** After `/api/v1/`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An answer: a body for a 200, or a function that writes it. */
export type Answer = object | ((response: ServerResponse, request: SeenRequest) => void | Promise<void>);

/** Answers of the real API, from a test of it. */
export const EXAMPLES = readExampleAnswers();

/** A body that the API really answered, with some fields of another value. */
export function makeAnswer<T>(name: string, changes: object = {}): T {
  return { ...EXAMPLES[name]?.response, ...changes } as T;
}

/** The quote of a query, as the API gives it where nothing stands against the transfer. */
export function makeQuote(query: Readonly<Record<string, string>>, changes: object = {}): FeeQuoteResponse {
  const { token = 'ETH', amount = '0', direction } = query;
  const { decimals } = assetInfo(listAssets().includes(token) ? token : 'ETH');
  const { bps, minFee } = DEFAULT_FEE_POLICIES[token as 'ETH'] ?? DEFAULT_FEE_POLICIES.ETH;
  const input = parseUnits(amount, decimals);
  const share = (input * BigInt(bps)) / 10_000n;
  const least = share < minFee && minFee < input ? minFee : share;
  const fee = direction === 'ETHEREUM_TO_PARTNER' ? 0n : least;
  const figures = Object.entries({ inputAmount: input, feeAmount: fee, outputAmount: input - fee });
  const words = figures.flatMap(([name, units]) => [
    [name, `${units}`],
    [`${name}Formatted`, formatUnits(units, decimals)],
  ]);
  return makeAnswer('getFeeQuote', { token, direction, warnings: [], ...Object.fromEntries(words), ...changes });
}

/** The address book of a configuration, in other letters. */
export function makeBook({ environment, ethereum, partner, relayerWalletAddress }: ConfigResponse): AddressBook {
  const find = (side: ConfigResponse['ethereum' | 'partner'], symbols: readonly string[]) => {
    const { chainId, tokens } = side;
    const known = tokens.filter(({ token }) => symbols.includes(token)).map(({ token, address }) => [token, address]);
    return { chainId, sentinel: side.tokens[1]?.address, tokens: Object.fromEntries(known), deployedAtBlock: 0 };
  };
  const bridgeLock: Address = `0x${ethereum.bridgeLock.slice(2).toUpperCase()}`;
  return {
    environment,
    ethereum: { ...find(ethereum, ['USDC', 'XCN']), bridgeLock },
    partner: { ...find(partner, ['ETH', 'USDC']), bridgeMint: partner.bridgeMint, nativeUnit: '1' },
    relayer: relayerWalletAddress,
  } as AddressBook;
}

/** A server of HTTP with the paths of the API. */
export interface ApiServer {
  readonly bridge: Bridge;
  readonly seen: readonly SeenRequest[];
  /** Connections that are open now. */
  countConnections(): Promise<number>;
  close(): Promise<void>;
}

/** Answers with `body` and an HTTP status other than 200. */
export function refuse(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };
}

/** Takes one answer after the other for the requests of a path, and the last one again and again. */
export function inTurn(...answers: readonly Answer[]): Answer {
  let next = 0;
  return async (response, request) => {
    const answer = answers[Math.min(next, answers.length - 1)] ?? {};
    next += 1;
    await write(answer, response, request);
  };
}

async function write(answer: Answer, response: ServerResponse, request: SeenRequest): Promise<void> {
  if (typeof answer === 'function') await answer(response, request);
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

/** Starts a server with answers by path, such as `bridge/config`. Other paths are 404. */
export async function startApi(
  routes: Readonly<Record<string, Answer>>,
  options: Partial<BridgeOptions> = {},
): Promise<ApiServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const { method, headers } = incoming;
      const path = pathname.replace('/api/v1/', '');
      const request = {
        method,
        path,
        query: Object.fromEntries(searchParams),
        headers,
        body: String(Buffer.concat(chunks)),
      };
      seen.push(request);
      const missing = refuse(404, { error: 'NOT_FOUND', message: 'This is not an endpoint of this API' });
      await write(routes[path] ?? missing, response, request);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    bridge: connectBridge({ apiUrl: `http://127.0.0.1:${port}/api/v1`, ...options }),
    seen,
    countConnections: async () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
      }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
