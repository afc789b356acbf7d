import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntil } from '@causeway/test-kit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocketServer } from 'ws';
import {
  connectChain,
  connectMirrors,
  NodeThrottledError,
  readAnnouncedChain,
  type ChainConnection,
  type NodeEvent,
} from '../src/index.js';

// Nodes and mirrors that require a key, and their refusals.

const CHAIN_ID = 8_901;
const KEY = 'a-key_of-a-node_that-is-secret';
const WANTED = `Basic ${Buffer.from(`relayer:${KEY}`).toString('base64')}`;

let server: Server;
let heads: WebSocketServer;
let host: string;
/** The HTTP status for requests without the key. */
let refusal: number;
let connection: ChainConnection | null;
let events: NodeEvent[];
const report = (event: NodeEvent) => void events.push(event);

beforeEach(async () => {
  refusal = 401;
  connection = null;
  events = [];
  const answers: Readonly<Record<string, unknown>> = { eth_chainId: '0x22c5', eth_blockNumber: '0x7' };
  const answer = (call: { id: number; method: string }) => ({
    jsonrpc: '2.0',
    id: call.id,
    result: answers[call.method] ?? '0x1',
  });
  server = createServer((request, response) => void respond(request, response));
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await request.toArray()).join('');
    const send = (status: number, content: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    if (request.headers.authorization !== WANTED) {
      // As the gateway refuses: an error of JSON-RPC, also to a batch.
      const error = { code: -32_600, message: 'Invalid request: the API key is not valid' };
      send(refusal, { jsonrpc: '2.0', id: null, error });
    } else if (request.method === 'GET') {
      send(404, {});
    } else {
      const calls: unknown = JSON.parse(body);
      send(200, Array.isArray(calls) ? calls.map(answer) : answer(calls as never));
    }
  };
  heads = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (request.headers.authorization !== WANTED) {
      socket.end(`HTTP/1.1 ${refusal} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    heads.handleUpgrade(request, socket, head, (peer) => {
      peer.on('message', (data: Buffer) => {
        peer.send(JSON.stringify(answer(JSON.parse(data.toString()))));
        peer.send('{"jsonrpc":"2.0","method":"eth_subscription","params":{}}');
      });
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  connection?.close();
  for (const peer of heads.clients) peer.terminate();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

function connect(credentials: string): ChainConnection {
  connection = connectChain({
    name: 'partner',
    chainId: CHAIN_ID,
    urls: [`http://${credentials}${host}/`],
    headUrls: [`ws://${credentials}${host}/ws`],
    quorum: 1,
    confirmations: 1,
    report,
  });
  return connection;
}

describe('a key in the address of a node', () => {
  it('is sent over HTTP, alone and in batches, over WebSocket, and to mirrors', async () => {
    const chain = connect(`relayer:${KEY}@`);
    let announced = 0;
    chain.onHead(() => (announced += 1));
    await chain.ready();
    const [head, price] = await Promise.all([chain.agreedHead(), chain.client.getGasPrice()]);
    expect([head, price]).toEqual([7n, 1n]);
    await waitUntil('a head is announced', () => announced > 0);
    expect(await readAnnouncedChain(`ws://relayer:${KEY}@${host}`, 5_000)).toBe(CHAIN_ID);
    const mirror = connectMirrors([`http://relayer:${KEY}@${host}`]);
    expect(await mirror.ping()).toBeGreaterThanOrEqual(0);
    expect(chain.status()).toEqual([expect.objectContaining({ name: host, usable: true, throttled: 0 })]);
    expect(mirror.status()).toEqual([{ name: host, throttled: 0 }]);
    expect(events).toEqual([]);
  });

  it('is reported if it is wrong, without being shown', async () => {
    const wrong = `relayer:${KEY}-other@`;
    const chain = connect(wrong);
    await waitUntil('the node is not usable', () => chain.status()[0]?.usable === false);
    const reason = 'it does not accept the key in its address (HTTP status 401)';
    expect(chain.status()[0]?.reason).toContain(reason);
    await expect(chain.client.getGasPrice()).rejects.toThrow(reason);
    await expect(readAnnouncedChain(`ws://${wrong}${host}`, 5_000)).rejects.toThrow(reason);
    const mirror = connectMirrors([`http://${wrong}${host}`], { report });
    await expect(mirror.ping()).rejects.toThrow('it does not accept the key in its address (status 401)');
    const failure: unknown = await chain.agreedHead().catch((error: unknown) => error);
    expect(JSON.stringify([events, failure, Object.entries(failure as object)])).not.toContain(KEY);
    await waitUntil('both are reported', () => events.length >= 2);
    expect(events.map(({ node }) => node)).toEqual(expect.arrayContaining([host]));
  });

  it('is suggested if a node rate-limits this process', async () => {
    refusal = 429;
    const chain = connect('');
    await waitUntil('it is counted', () => (chain.status()[0]?.throttled ?? 0) > 0);
    await expect(readAnnouncedChain(`ws://${host}`, 5_000)).rejects.toThrow(NodeThrottledError);
    const mirror = connectMirrors([`http://${host}`], { report });
    await expect(mirror.ping()).rejects.toThrow('it limits the requests of this process (status 429)');
    expect(mirror.status()).toEqual([{ name: host, throttled: 1 }]);
    const words = /^it limits the requests of this process \(.*429\): give it a key in the address of the node/;
    const reports = events.filter(({ message }) => words.test(message));
    expect(reports.map(({ level, chain: name, node }) => [level, name, node])).toEqual([
      ['warn', 'partner', host],
      ['warn', 'partner', host],
    ]);
  });
});
