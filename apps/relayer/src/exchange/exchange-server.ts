import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { reservesTypedData, type AddressBook } from '@causeway/protocol';
import { RateLimiter, readBody } from '@causeway/service/http';
import {
  encodeAttest,
  EXCHANGE_PATHS,
  EXCHANGE_VERSION,
  MAX_EXCHANGE_BYTES,
  reservesRequest,
  signatureRequest,
  verdictsRequest,
  WORK_WAIT_MS,
  workRequest,
  type WorkAnswer,
} from '@causeway/protocol/attest';
import { hashTypedData, type Address } from 'viem';
import type { z } from 'zod';
import { isSignedBy } from './attestation.js';
import type { Board } from './board.js';
import type { ExchangeSettings } from '../exchange-variables.js';
import { isFor } from './reserves-round.js';
import { RequestRefused } from './request-refused.js';
import { findSender } from './request-sender.js';

export interface ExchangeParts {
  readonly board: Board;
  /** The members of the attester sets of both contracts. */
  readonly members: () => Promise<ReadonlySet<Address>>;
  /** BridgeLock, in whose domain the reserves are signed. */
  readonly lock: Pick<AddressBook['ethereum'], 'chainId' | 'bridgeLock'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The relayer's settings, which the attesters compare with their own. */
  readonly settings: WorkAnswer['settings'];
  /** Records that a process polls with a key, until it hangs up. Returns the number of such processes. */
  readonly noteInstance: (attester: Address, instance: string, hungUp: AbortSignal) => number;
  readonly onFailure: (error: unknown) => void;
}

export interface ExchangeServer {
  /** Such as https://127.0.0.1:9470. */
  readonly url: string;
  close(): Promise<void>;
}

/** Limits per address. Several attesters can share one. */
const MOST_CONNECTIONS = 32;
const MOST_REQUESTS_A_SECOND = 100;
/** A refused request counts as more than one, since it costs the recovery of a signature. */
const REFUSED_COUNTS = 9;
const REQUEST_MS = 10_000;

/**
 * Serves the exchange for attesters. Each address has its own limits, so that a flood from one affects no other.
 *
 * @throws Error when the port is taken, or the certificate does not match its key.
 */
export async function serveExchange(parts: ExchangeParts, settings: ExchangeSettings): Promise<ExchangeServer> {
  const { host, port, tls } = settings;
  const ended = new AbortController();
  const limiter = new RateLimiter(
    { windows: [{ calls: MOST_REQUESTS_A_SECOND, seconds: 1 }], unit: 'requests', keyPrefix: 'attest' },
    { redis: null, onRefused: () => undefined, onRedisFailed: () => undefined },
  );
  const listener: RequestListener = (request, response) => {
    answer({ ...parts, limiter, ended: ended.signal }, request, response).catch((error: unknown) => {
      parts.onFailure(error);
      response.destroy();
    });
  };
  const limits = { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS };
  const server = tls === null ? createServer(limits, listener) : createTlsServer({ ...tls, ...limits }, listener);
  const connections = new Map<string, number>();
  server.on('connection', (socket: Socket) => countConnection(connections, socket));
  server.listen(port, host);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `${tls === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: async () => {
      const closed = once(server, 'close');
      ended.abort();
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function countConnection(connections: Map<string, number>, socket: Socket): void {
  const client = findClient(socket);
  const count = (connections.get(client) ?? 0) + 1;
  if (count > MOST_CONNECTIONS) {
    socket.destroy();
    return;
  }
  connections.set(client, count);
  socket.once('close', () => {
    const left = (connections.get(client) ?? 1) - 1;
    if (left === 0) connections.delete(client);
    else connections.set(client, left);
  });
}

/** The IP address; for IPv6 the /64 prefix, which one customer of a network has. */
function findClient({ remoteAddress = '' }: Socket): string {
  return remoteAddress.includes(':') && !remoteAddress.startsWith('::ffff:')
    ? remoteAddress.split(':').slice(0, 4).join(':')
    : remoteAddress;
}

interface Work extends ExchangeParts {
  readonly limiter: RateLimiter;
  readonly ended: AbortSignal;
}

async function answer(work: Work, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const body = encodeAttest(await route(work, request, response));
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(body);
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    const { status, message, headers } = error;
    // The rest of the body is not read.
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
    response.end(JSON.stringify({ error: message }));
  }
}

async function route(work: Work, request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const { board, limiter } = work;
  const client = findClient(request.socket);
  const verdict = await limiter.take(client, 1);
  if (verdict.admitted === 0) throw new RequestRefused(429, verdict.refusal, limiter.headers(verdict));
  const path = Object.values(EXCHANGE_PATHS).find((known) => known === request.url);
  if (path === undefined) throw new RequestRefused(404, `${request.url} is not a path of the exchange`);
  if (request.method !== 'POST') throw new RequestRefused(405, 'use POST', { allow: 'POST' });
  const bytes = await readBody(request, MAX_EXCHANGE_BYTES);
  if (bytes === null) throw new RequestRefused(413, `the body has more than ${MAX_EXCHANGE_BYTES} bytes`);
  const body = bytes.toString();
  const attester = await findSender(request.headers, path, body, work).catch(async (error: unknown) => {
    await limiter.take(client, REFUSED_COUNTS);
    throw error;
  });
  switch (path) {
    case EXCHANGE_PATHS.work:
      return readWork(work, attester, parse(workRequest, body), response);
    case EXCHANGE_PATHS.verdicts:
      board.judge(attester, parse(verdictsRequest, body).verdicts);
      return { version: EXCHANGE_VERSION };
    case EXCHANGE_PATHS.signatures: {
      const { digest, signature } = parse(signatureRequest, body);
      if (board.findBatch(attester, digest) === null)
        throw new RequestRefused(403, `${digest} is not the digest of a pending batch`);
      if (!(await isSignedBy(attester, digest, signature)))
        throw new RequestRefused(403, `signature: not a signature of ${attester} over ${digest}`);
      board.sign(attester, digest, signature);
      return { version: EXCHANGE_VERSION };
    }
    case EXCHANGE_PATHS.reserves: {
      const { statement, signature } = parse(reservesRequest, body);
      const round = board.reserves;
      if (round === null || !isFor(statement, round.proposal) || !round.isAsking(attester))
        throw new RequestRefused(403, 'statement: not one that is asked for');
      const digest = hashTypedData(reservesTypedData(work.lock, statement));
      if (!(await isSignedBy(attester, digest, signature)))
        throw new RequestRefused(403, `signature: not a signature of ${attester} over ${digest}`);
      round.state(attester, { statement, digest, signature });
      return { version: EXCHANGE_VERSION };
    }
  }
}

async function readWork(
  { board, noteInstance, settings, ended }: Work,
  attester: Address,
  { instance, after }: z.output<typeof workRequest>,
  response: ServerResponse,
): Promise<WorkAnswer> {
  const hungUp = new AbortController();
  response.once('close', () => hungUp.abort());
  const instances = noteInstance(attester, instance, hungUp.signal);
  let news = board.read(attester, after);
  if (news.items.length + news.gone.length + news.batches.length === 0 && news.reserves === null) {
    await board.untilNews(WORK_WAIT_MS, AbortSignal.any([ended, hungUp.signal]));
    news = board.read(attester, after);
  }
  return { version: EXCHANGE_VERSION, settings, instances, ...news };
}

/** @throws RequestRefused 409 for another version, 400 for an invalid body. */
function parse<S extends z.ZodType>(schema: S, body: string): z.output<S> {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw new RequestRefused(400, 'the body is not JSON');
  }
  const version = typeof json === 'object' && json !== null && 'version' in json ? json.version : undefined;
  if (typeof version === 'number' && version !== EXCHANGE_VERSION)
    throw new RequestRefused(409, `version: this exchange has version ${EXCHANGE_VERSION}, not ${version}`);
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RequestRefused(400, `${issue?.path.join('.') || 'body'}: ${issue?.message}`);
}
