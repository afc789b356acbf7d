import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  encodeAttest,
  EXCHANGE_HEADERS,
  EXCHANGE_PATHS,
  EXCHANGE_VERSION,
  exchangeRequestTypedData,
  reservesRequest,
  signatureRequest,
  verdictsRequest,
  workRequest,
  type AttestBatch,
  type AttestItem,
  type AttestStage,
  type AttestVerdict,
  type ExchangeSettings,
} from '@causeway/protocol/attest';
import type { ReservesProposal } from '@causeway/protocol';
import { recoverTypedDataAddress, type Hex } from 'viem';
import type { z } from 'zod';

/** A relayer's exchange, simulated by a test. It can show items that no chain owes. */
export interface TestExchange {
  readonly url: string;
  /** The newest verdict on each item. */
  readonly verdicts: Map<Hex, AttestVerdict>;
  /** By digest, with the time of the first one. */
  readonly signatures: Map<Hex, { readonly signature: Hex; readonly atMs: number }>;
  /** Signers of all requests. */
  readonly attesters: Set<string>;
  /** The relayer's settings. */
  settings: ExchangeSettings;
  readonly show: (item: AttestItem, stage?: AttestStage) => void;
  readonly ask: (batch: AttestBatch) => void;
  readonly propose: (proposal: ReservesProposal) => void;
  /** The statements of the reserves. */
  readonly stated: z.output<typeof reservesRequest>[];
  /** Called with the digest of each signature before the attester gets its response. */
  onSignature: (digest: Hex) => void;
  /** Forgets everything, like a restarted relayer. */
  readonly restart: () => void;
  /** If set, the answer to every `work` request. */
  broken: { readonly text: string; count: number } | null;
  readonly stop: () => Promise<void>;
}

export async function startExchange(): Promise<TestExchange> {
  let news: {
    readonly item?: AttestItem;
    readonly stage?: AttestStage;
    readonly batch?: AttestBatch;
    readonly proposal?: ReservesProposal;
  }[] = [];
  let wake = () => {};
  const add = (one: (typeof news)[number]) => {
    news.push(one);
    wake();
  };
  const answerWork = async (body: string): Promise<string> => {
    const { after } = workRequest.parse(JSON.parse(body));
    if (exchange.broken !== null) {
      exchange.broken.count += 1;
      return exchange.broken.text;
    }
    if (after === news.length)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 500);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    const found = news.slice(after > news.length ? 0 : after);
    const items = found.flatMap(({ item, stage }) => (item === undefined ? [] : [{ item, stage }]));
    const batches = found.flatMap(({ batch }) => (batch === undefined ? [] : [batch]));
    const { settings } = exchange;
    const reserves = found.findLast(({ proposal }) => proposal !== undefined)?.proposal ?? null;
    return encodeAttest({
      version: EXCHANGE_VERSION,
      settings,
      after: news.length,
      instances: 1,
      items,
      gone: [],
      batches,
      reserves,
    });
  };
  const answer = async (path: string, request: IncomingMessage): Promise<string> => {
    const body = await text(request);
    const header = (name: string) => String(request.headers[name]);
    const signer = await recoverTypedDataAddress({
      ...exchangeRequestTypedData(path, Number(header(EXCHANGE_HEADERS.time)), body),
      signature: header(EXCHANGE_HEADERS.signature) as Hex,
    });
    exchange.attesters.add(signer.toLowerCase());
    if (path === EXCHANGE_PATHS.work) return answerWork(body);
    if (path === EXCHANGE_PATHS.verdicts)
      for (const { id, verdict } of verdictsRequest.parse(JSON.parse(body)).verdicts)
        exchange.verdicts.set(id, verdict);
    if (path === EXCHANGE_PATHS.signatures) {
      const { digest, signature } = signatureRequest.parse(JSON.parse(body));
      exchange.signatures.set(digest, { signature, atMs: Date.now() });
      exchange.onSignature(digest);
    }
    if (path === EXCHANGE_PATHS.reserves) exchange.stated.push(reservesRequest.parse(JSON.parse(body)));
    return '{}';
  };
  const server = createServer((request, response) => {
    answer(String(request.url), request).then(
      (body) => response.end(body),
      (error: unknown) => response.writeHead(400).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const exchange: TestExchange = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    verdicts: new Map(),
    signatures: new Map(),
    attesters: new Set(),
    settings: { holdSeconds: 0, ethereumConfirmations: 1, partnerConfirmations: 1, validSeconds: 4 },
    show: (item, stage = 'FINAL') => add({ item, stage }),
    ask: (batch) => add({ batch }),
    propose: (proposal) => add({ proposal }),
    stated: [],
    onSignature: () => {},
    restart: () => {
      news = [];
      exchange.verdicts.clear();
      exchange.signatures.clear();
    },
    broken: null,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return exchange;
}
