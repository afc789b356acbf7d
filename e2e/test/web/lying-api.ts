import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConfigResponse, FeeQuoteResponse, IntentResponse, Side, TransactionsResponse } from '@causeway/protocol';

/** An answer of the API, which a lie changes in place. */
type Tell<Answer> = (answer: { -readonly [Field in keyof Answer]: Answer[Field] } & Record<string, unknown>) => void;

/** A lie of the API that could make a person sign something wrong. */
export interface Lie {
  readonly name: string;
  /** Which transfer it concerns. */
  readonly about: 'deposit' | 'burn' | 'intent';
  /** Path of the answer below /api/v1/bridge. */
  readonly path: string;
  readonly tell: (answer: never) => void;
}

/** An account that no part of the bridge has. */
const STRANGER = `0x${'5a'.repeat(20)}` as const;
const double = (amount: string) => `${2n * BigInt(amount)}`;

function ofConfig(name: string, about: Lie['about'], tell: Tell<ConfigResponse>): Lie {
  return { name, about, path: 'config', tell };
}

function ofQuote(name: string, tell: Tell<FeeQuoteResponse>): Lie {
  return { name, about: 'burn', path: 'fee-quote', tell };
}

function ofIntent(name: string, tell: Tell<IntentResponse>): Lie {
  return { name, about: 'intent', path: 'xcn-withdraw-intent', tell };
}

function ofCalls(name: string, tell: Tell<TransactionsResponse>): Lie {
  return { name, about: 'deposit', path: 'transactions', tell };
}

function changeToken(side: Side, token: string, change: object): Tell<ConfigResponse> {
  return (config) => {
    const { tokens } = config[side];
    const changed = tokens.map((each) => (each.token === token ? { ...each, ...change } : each));
    Object.assign(config[side], { tokens: changed });
  };
}

/** Lies in everything that a transfer is made of. */
export const LIES: readonly Lie[] = [
  ofConfig('USDC has 18 decimals', 'deposit', changeToken('ethereum', 'USDC', { decimals: 18 })),
  ofConfig('USDC has no decimals', 'burn', changeToken('partner', 'USDC', { decimals: 0 })),
  ofConfig('XCN has no dust', 'intent', changeToken('partner', 'XCN', { granularity: '1' })),
  ofConfig('USDC is another contract on Ethereum', 'deposit', changeToken('ethereum', 'USDC', { address: STRANGER })),
  ofConfig('USDC is another contract there', 'burn', changeToken('partner', 'USDC', { address: STRANGER })),
  ofConfig('BridgeLock is another contract', 'deposit', ({ ethereum }) =>
    Object.assign(ethereum, { bridgeLock: STRANGER }),
  ),
  ofConfig('BridgeMint is another contract', 'burn', ({ partner }) => Object.assign(partner, { bridgeMint: STRANGER })),
  ofConfig('Ethereum has another chain id', 'deposit', ({ ethereum }) => Object.assign(ethereum, { chainId: 1 })),
  ofConfig('the environment is another one', 'deposit', (config) => {
    config.environment = 'mainnet';
  }),
  ofConfig('the relayer wallet is another account', 'intent', (config) => {
    config.relayerWalletAddress = STRANGER;
  }),
  ofConfig('intents are signed for another contract', 'intent', ({ intent }) =>
    Object.assign(intent.domain, { verifyingContract: STRANGER, name: 'Other' }),
  ),
  ofConfig('the chain has another node', 'burn', ({ partner }) =>
    Object.assign(partner.walletChain ?? {}, { rpcUrls: ['http://127.0.0.1:9'] }),
  ),
  ofQuote('the quote is of another amount', (quote) => {
    quote.inputAmount = double(quote.inputAmount);
  }),
  ofQuote('more arrives than is paid', (quote) => {
    quote.outputAmount = double(quote.inputAmount);
  }),
  ofQuote('there is no fee', (quote) => {
    Object.assign(quote, { feeAmount: '0', outputAmount: quote.inputAmount });
  }),
  ofQuote('the words are of another amount', (quote) => {
    Object.assign(quote, { outputAmountFormatted: '987654', feeAmountFormatted: '0.00987654' });
  }),
  ofCalls('the calls go to another contract', (answer) => {
    for (const call of answer.calls) Object.assign(call, { to: STRANGER });
    for (const { call } of answer.bySignature) Object.assign(call, { to: STRANGER });
  }),
  ofCalls('the signature is for another token', (answer) => {
    for (const { typedData } of answer.bySignature) Object.assign(typedData.domain, { verifyingContract: STRANGER });
  }),
  ofCalls('the signature has another spender and amount', (answer) => {
    for (const { typedData } of answer.bySignature)
      Object.assign(typedData.message, { spender: STRANGER, to: STRANGER, value: `${2n ** 255n}` });
  }),
  ofIntent('the intent is paid to another account', (answer) => {
    answer.relayerWalletAddress = STRANGER;
  }),
  ofIntent('the intent has another amount', (answer) => {
    answer.amountAtomic = double(answer.amountAtomic);
  }),
  ofIntent('the intent is another one', (answer) => {
    answer.intentId = `0x${'5a'.repeat(32)}`;
  }),
  ofIntent('the intent costs more', (answer) => {
    Object.assign(answer.fee, { amount: double(answer.fee.amount) });
  }),
];

/** A server before the API that lies in one answer. */
interface LyingApi {
  /** The origin of the page. */
  readonly origin: string;
  /** How often the lie was told. */
  readonly told: () => number;
  readonly close: () => Promise<void>;
}

/** Starts a server that forwards page and API of an origin, and tells a lie. */
export async function startLyingApi(origin: string, { path, tell }: Lie): Promise<LyingApi> {
  let told = 0;
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { url = '/', method, headers } = incoming;
    const isLie = new URL(url, origin).pathname === `/api/v1/bridge/${path}`;
    const { host } = new URL(origin);
    const sent = { ...headers, host, ...(isLie ? { 'accept-encoding': 'identity' } : {}) };
    const forwarded = request(new URL(url, origin), { method, headers: sent }, (original) => {
      const { statusCode = 502 } = original;
      if (!isLie || statusCode >= 300) {
        original.pipe(outgoing.writeHead(statusCode, original.headers));
        return;
      }
      void readJson(original).then((body) => {
        tell(body as never);
        told += 1;
        const { 'content-length': _, etag: __, ...kept } = original.headers;
        outgoing.writeHead(statusCode, kept).end(JSON.stringify(body));
      });
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  };
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    told: () => told,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readJson(message: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}
