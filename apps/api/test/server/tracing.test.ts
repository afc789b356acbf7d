import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  aHash,
  anAddressBook,
  ETHEREUM,
  startAnvil,
  startRpcProxy,
  waitUntil,
  type Anvil,
  type PostgresServer,
  type RpcProxy,
} from '@causeway/test-kit';
import { migratedDatabase, startApiProcess, type ApiProcess } from './api-process.js';

interface SpanRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SERVER = 2;
const CLIENT = 3;

let collector: Server;
let database: PostgresServer;
let anvil: Anvil;
let node: RpcProxy;
let api: ApiProcess;
const spans: SpanRecord[] = [];
beforeAll(async () => {
  collector = createServer((request, response) => {
    void json(request).then((body) => {
      type Export = { resourceSpans: { scopeSpans: { spans: SpanRecord[] }[] }[] };
      for (const { scopeSpans } of (body as Export).resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  database = await migratedDatabase();
  anvil = await startAnvil({ chainId: ETHEREUM });
  node = await startRpcProxy(anvil.url, {});
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    ETHEREUM_RPC_URLS: `${node.url}/a-secret-key?b=c`,
  };
  api = await startApiProcess(database.url, variables, anAddressBook());
});
afterAll(async () => {
  await api?.stop();
  await node?.close();
  await anvil?.stop();
  await database?.stop();
  collector?.closeAllConnections();
  collector?.close();
});

const valueOf = ({ attributes }: SpanRecord, key: string) => attributes.find((each) => each.key === key)?.value;

describe('traces', () => {
  it('have a span for a request, in the trace of the caller, and one for each request to a node without its key', async () => {
    const answer = await fetch(`${api.url}/api/v1/bridge/explain?hash=${aHash()}`, {
      headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-01` },
    });
    expect(answer.status).toBe(503);
    const inTrace = () => spans.filter(({ traceId }) => traceId === TRACE);
    await waitUntil(
      'the spans arrive',
      () => inTrace().some(({ kind }) => kind === CLIENT) && inTrace().some(({ kind }) => kind === SERVER),
    );
    const server = inTrace().find(({ kind }) => kind === SERVER);
    expect(server).toMatchObject({ name: 'GET /api/v1/bridge/explain', parentSpanId: 'b7ad6b7169203331' });
    expect(valueOf(server!, 'http.response.status_code')).toEqual({ intValue: 503 });
    expect(valueOf(server!, 'causeway.request_id')).toEqual({ stringValue: answer.headers.get('x-request-id') });
    const clients = inTrace().filter(({ kind }) => kind === CLIENT);
    for (const client of clients) {
      expect(client.parentSpanId).toBe(server?.spanId);
      expect(valueOf(client, 'url.full')).toEqual({ stringValue: node.url });
    }
    expect(JSON.stringify(spans)).not.toMatch(/a-secret-key|b=c/);
  });

  it('have no spans that belong to no request', async () => {
    expect(spans.filter(({ kind, parentSpanId }) => kind === CLIENT && parentSpanId === undefined)).toEqual([]);
  });
});
