import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  encodeAttest,
  EXCHANGE_HEADERS,
  EXCHANGE_PATHS,
  EXCHANGE_VERSION,
  signatureRequest,
  verdictsRequest,
  workRequest,
  type AttestBatch,
  type AttestItem,
  type AttestVerdict,
} from '@causeway/protocol/attest';
import type { Address, Hex } from 'viem';

/** An item or batch to show. `to` restricts it to one attester. */
type News = { readonly to?: Address } & ({ readonly item: AttestItem } | { readonly batch: AttestBatch });

/** Entries in an answer: an attester keeps 64 batches at a time. */
const MOST_NEWS = 64;
const WAIT_MS = 2_000;
const SETTINGS = { holdSeconds: 1, ethereumConfirmations: 2, partnerConfirmations: 2, validSeconds: 10 };

/** The exchange of a thief with the relayer's key and machine, which shows whatever the thief wants. */
export class ThiefsExchange {
  /** Newest verdict of each attester, by item id. */
  readonly verdicts = new Map<Hex, Map<Address, AttestVerdict>>();
  /** Signatures by digest and attester. */
  readonly signatures = new Map<Hex, Map<Address, Hex>>();
  private readonly news: News[] = [];
  private readonly server = createServer((request, response) => {
    this.answer(request).then(
      (body) => response.end(body),
      (error: unknown) => response.writeHead(400).end(String(error)),
    );
  });
  private wake = Promise.withResolvers<void>();

  /** Listens at the URL of the relayer's exchange, to which attesters connect. */
  async listen(url: string): Promise<void> {
    this.server.listen(Number(new URL(url).port), '127.0.0.1');
    await once(this.server, 'listening');
  }

  show(items: readonly AttestItem[], to?: Address): void {
    this.add(items.map((item) => ({ item, ...(to === undefined ? {} : { to }) })));
  }

  ask(batch: AttestBatch, to?: Address): void {
    this.add([{ batch, ...(to === undefined ? {} : { to }) }]);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private add(news: readonly News[]): void {
    this.news.push(...news);
    this.wake.resolve();
    this.wake = Promise.withResolvers<void>();
  }

  private async answer(request: IncomingMessage): Promise<string> {
    const body: unknown = JSON.parse(await text(request));
    const attester = String(request.headers[EXCHANGE_HEADERS.attester]).toLowerCase() as Address;
    if (request.url === EXCHANGE_PATHS.work) return this.answerWork(attester, workRequest.parse(body).after);
    if (request.url === EXCHANGE_PATHS.verdicts)
      for (const { id, verdict } of verdictsRequest.parse(body).verdicts) keep(this.verdicts, id, attester, verdict);
    if (request.url === EXCHANGE_PATHS.signatures) {
      const { digest, signature } = signatureRequest.parse(body);
      keep(this.signatures, digest, attester, signature);
    }
    return encodeAttest({ version: EXCHANGE_VERSION });
  }

  private async answerWork(attester: Address, asked: number): Promise<string> {
    const from = asked > this.news.length ? 0 : asked;
    if (from === this.news.length)
      await Promise.race([this.wake.promise, new Promise((next) => setTimeout(next, WAIT_MS))]);
    const after = Math.min(from + MOST_NEWS, this.news.length);
    const news = this.news.slice(from, after).filter(({ to }) => to === undefined || to === attester);
    const items = news.flatMap((one) => ('item' in one ? [{ stage: 'FINAL', item: one.item }] : []));
    const batches = news.flatMap((one) => ('batch' in one ? [one.batch] : []));
    return encodeAttest({
      version: EXCHANGE_VERSION,
      settings: SETTINGS,
      after,
      instances: 1,
      items,
      gone: [],
      batches,
      reserves: null,
    });
  }
}

function keep<T>(found: Map<Hex, Map<Address, T>>, key: Hex, attester: Address, value: T): void {
  const known = found.get(key) ?? new Map<Address, T>();
  known.set(attester, value);
  found.set(key, known);
}
