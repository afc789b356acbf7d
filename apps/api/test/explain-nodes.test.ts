import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { explainResponseSchema } from '@causeway/protocol/rest';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { aDeposit, opening } from '@causeway/store/test';
import { aHash, anAddress, ETHEREUM, waitUntil } from '@causeway/test-kit';
import type { Hex } from 'viem';
import { refusal, temporaryApi, type TemporaryApi } from './temporary-api.js';
import { temporaryBridge, type TemporaryBridge } from './temporary-bridge.js';

// Responses about a hash when nodes are unavailable or lie, and the load on the nodes.

const NO_NODE = 'http://127.0.0.1:9';

let bridge: TemporaryBridge;
const opened: { close: () => unknown }[] = [];

beforeAll(async () => {
  bridge = await temporaryBridge();
});
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});
afterAll(async () => bridge?.stop());

/** Starts the API with these node URLs. */
async function startApi(urls: { ethereum?: string; partner?: string }): Promise<TemporaryApi> {
  const { ethereum, partner, book } = bridge;
  const api = await temporaryApi({
    book,
    ethereum: { ...ethereum, url: urls.ethereum ?? ethereum.url },
    partner: { ...partner, url: urls.partner ?? partner.url },
  });
  opened.push(api);
  return api;
}

/**
 * Starts a node that forwards to Ethereum.
 *
 * @param rewrite changes the text of requests and answers.
 */
async function forward(rewrite: (text: string, kind: 'request' | 'answer') => string): Promise<string> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = rewrite(Buffer.concat(await request.toArray()).toString(), 'request');
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(bridge.ethereum.url, { method: 'POST', headers, body });
    response.writeHead(200, headers).end(rewrite(await answer.text(), 'answer'));
  };
  const server: Server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const readStatus = (api: TemporaryApi, hash: Hex) => api.get(`/api/v1/bridge/status?originTxHash=${hash}`);
const readExplanation = (api: TemporaryApi, hash: Hex) => api.get(`/api/v1/bridge/explain?hash=${hash}`);
const unavailable = (message: string) => refusal(503, 'SERVICE_UNAVAILABLE', expect.stringContaining(message));

async function deposit(value: bigint): Promise<Hex> {
  const hash = await bridge.ethereum.wallet.writeContract({
    address: bridge.book.ethereum.bridgeLock,
    abi: bridgeLockAbi,
    functionName: 'depositNative',
    args: [anAddress()],
    value,
  });
  await waitUntil('the deposit is mined', () => bridge.ethereum.client.getTransactionReceipt({ hash }));
  return hash;
}

describe('nodes', () => {
  it('that are unavailable cause a 503, not a 404', async () => {
    const api = await startApi({ ethereum: NO_NODE, partner: NO_NODE });
    const away = unavailable('nodes of Ethereum do not answer');
    expect(await readStatus(api, aHash())).toEqual(away);
    expect(await readExplanation(api, aHash())).toEqual(away);
    const terms = aDeposit();
    await api.scan(ETHEREUM, { events: [opening(terms)] });
    const { body } = await readExplanation(api, terms.id);
    expect(explainResponseSchema.parse(body)).toMatchObject({ code: 'CONFIRMING' });
  });

  it('that are unavailable on one chain do not hide a transaction of the other', async () => {
    const api = await startApi({ partner: NO_NODE });
    expect(await readStatus(api, await deposit(9n))).toMatchObject({ status: 200, body: { amount: '9' } });
    expect(await readStatus(api, aHash())).toEqual(unavailable('nodes of the partner chain do not answer'));
  });

  it('are asked once about a hash by any number of clients, and not about stored hashes', async () => {
    let asked = '';
    const counting = await forward((text, kind) => {
      if (kind === 'request') asked += text;
      return text;
    });
    const api = await startApi({ ethereum: counting });
    const [unknown, known] = [aHash(), aHash()];
    await api.scan(ETHEREUM, { events: [{ ...opening(aDeposit()), txHash: known }] });
    const answers = await Promise.all(Array.from({ length: 50 }, () => readStatus(api, unknown)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect(await readStatus(api, known)).toMatchObject({ status: 200 });
    const about = (hash: Hex) => asked.split(hash).length - 1;
    // The receipt, the transaction, and the event of a user operation.
    expect([about(unknown), about(known)]).toEqual([3, 0]);
  });

  it('are not believed when one of them shows an invented deposit', async () => {
    const [real, invented] = [await deposit(11n), aHash()];
    const liar = await forward((text, kind) =>
      kind === 'request' ? text.replaceAll(invented, real) : text.replaceAll(real, invented),
    );
    const alone = await startApi({ ethereum: liar });
    expect(await readStatus(alone, invented)).toMatchObject({ status: 200, body: { amount: '11' } });
    const ofTwo = await startApi({ ethereum: [bridge.ethereum.url, liar].join() });
    expect(await readStatus(ofTwo, invented)).toEqual(unavailable('nodes of Ethereum'));
    const honest = await forward((text) => text);
    const ofThree = await startApi({ ethereum: [bridge.ethereum.url, honest, liar].join() });
    expect(await readStatus(ofThree, invented)).toEqual(refusal(404, 'OPERATION_NOT_FOUND'));
    expect(await readStatus(ofThree, real)).toMatchObject({ status: 200, body: { amount: '11' } });
  });
});
