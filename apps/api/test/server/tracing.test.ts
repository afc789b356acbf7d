import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  aHash,
  anAddressBook,
  ETHEREUM,
  startAnvil,
  startRpcProxy,
  startSpanCollector,
  waitUntil,
  type Anvil,
  type PostgresServer,
  type RpcProxy,
  type SpanCollector,
} from '@causeway/test-kit';
import { intentDomain, xcnWithdrawIntentTypes } from '@causeway/protocol';
import { hashTypedData } from 'viem';
import { formatMessage, INTENT, signIntent } from '../signed-intent.js';
import { migratedDatabase, startApiProcess, type ApiProcess } from './api-process.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SERVER = 2;
const CLIENT = 3;

let collector: SpanCollector;
let database: PostgresServer;
let anvil: Anvil;
let node: RpcProxy;
let api: ApiProcess;
beforeAll(async () => {
  collector = await startSpanCollector();
  database = await migratedDatabase();
  anvil = await startAnvil({ chainId: ETHEREUM });
  node = await startRpcProxy(anvil.url, {});
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
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
  await collector?.stop();
});

describe('traces', () => {
  it("have a span per request in the caller's trace, and one per node request, without the node's key", async () => {
    const answer = await fetch(`${api.url}/api/v1/bridge/explain?hash=${aHash()}`, {
      headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-01` },
    });
    expect(answer.status).toBe(503);
    const inTrace = () => collector.spans.filter(({ traceId }) => traceId === TRACE);
    await waitUntil(
      'the spans arrive',
      () => inTrace().some(({ kind }) => kind === CLIENT) && inTrace().some(({ kind }) => kind === SERVER),
    );
    const server = inTrace().find(({ kind }) => kind === SERVER);
    expect(server).toMatchObject({ name: 'GET /api/v1/bridge/explain', parentSpanId: 'b7ad6b7169203331' });
    expect(server?.attributes['http.response.status_code']).toBe(503);
    expect(server?.attributes['causeway.request_id']).toBe(answer.headers.get('x-request-id'));
    const clients = inTrace().filter(({ kind }) => kind === CLIENT);
    for (const client of clients) {
      expect(client.parentSpanId).toBe(server?.spanId);
      expect(client.attributes['url.full']).toBe(node.url);
    }
    expect(JSON.stringify(collector.spans)).not.toMatch(/a-secret-key|b=c/);
  });

  it('name the operation of a request, only if well-formed', async () => {
    const id = aHash();
    await fetch(`${api.url}/api/v1/bridge/status?depositId=${id.toUpperCase().replace('0X', '0x')}`);
    await fetch(`${api.url}/api/v1/bridge/status?withdrawId=invented`);
    const named = () => collector.spans.filter(({ name }) => name === 'GET /api/v1/bridge/status');
    await waitUntil('the spans arrive', () => named().length === 2);
    expect(named().map(({ attributes }) => attributes['causeway.operation.id'])).toEqual([id, undefined]);
  });

  it("have the request of an intent in the intent's trace, as its log lines, with a link to the caller's", async () => {
    const book = anAddressBook();
    const body = await signIntent(book);
    const intentId = hashTypedData({
      domain: intentDomain(book.partner),
      types: xcnWithdrawIntentTypes,
      primaryType: 'XcnWithdrawIntent',
      message: formatMessage(body),
    });
    const caller = TRACE.replace('0a', '0b');
    const answer = await fetch(`${api.url}${INTENT}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: `00-${caller}-b7ad6b7169203331-01` },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(503);
    const traceId = intentId.slice(2, 34);
    const server = await waitUntil('the span arrives', () =>
      collector.spans.find((span) => span.kind === SERVER && span.traceId === traceId),
    );
    expect(server.name).toBe(`POST ${INTENT}`);
    expect(server.parentSpanId).toBeUndefined();
    expect(server.attributes['causeway.operation.id']).toBe(intentId);
    expect(server.links).toEqual([expect.objectContaining({ traceId: caller })]);
    const lines = api.log().filter(({ requestId }) => requestId === answer.headers.get('x-request-id'));
    expect(lines).toEqual([expect.objectContaining({ trace_id: traceId })]);
  });

  it('have only spans that belong to a request', async () => {
    expect(collector.spans.filter(({ kind, parentSpanId }) => kind === CLIENT && parentSpanId === undefined)).toEqual(
      [],
    );
  });
});
