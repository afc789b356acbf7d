import { afterEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { reservesTypedData, type AddressBook, type ReservesStatement } from '@causeway/protocol';
import {
  encodeAttest,
  EXCHANGE_HEADERS,
  EXCHANGE_PATHS,
  exchangeRequestTypedData,
  MAX_EXCHANGE_BYTES,
  type AttestBatch,
  type AttestItem,
} from '@causeway/protocol/attest';
import { serveMetrics } from '@causeway/service/http';
import { aHash, anAddress, waitUntil } from '@causeway/test-kit';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { readConnections } from '../src/commands/doctor/check-attesters.js';
import { Board, type VerdictListener } from '../src/exchange/board.js';
import { ExchangeListener } from '../src/exchange/exchange-listener.js';
import { serveExchange, type ExchangeServer } from '../src/exchange/exchange-server.js';
import { RelayerMetrics } from '../src/metrics/relayer-metrics.js';

// The exchange on real sockets, without chains and database.

const member = privateKeyToAccount(generatePrivateKey());
const address = member.address.toLowerCase() as Address;
const stranger = privateKeyToAccount(generatePrivateKey());
const SETTINGS = { holdSeconds: 7, ethereumConfirmations: 12, partnerConfirmations: 6, validSeconds: 60 };
const LOCK = { chainId: 31_337, bridgeLock: anAddress() };
const CONFIGURATION = { ...SETTINGS, addressBook: { ethereum: LOCK } as AddressBook };
const servers: ExchangeServer[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(members: readonly Address[] = [address], onWork: () => void = () => undefined) {
  const board = new Board(Date.now);
  const failures: unknown[] = [];
  const server = await serveExchange(
    {
      board,
      members: async () => new Set(members),
      lock: LOCK,
      now: Date.now,
      settings: SETTINGS,
      noteInstance: () => {
        onWork();
        return 1;
      },
      onFailure: (error) => failures.push(error),
    },
    { host: '127.0.0.1', port: 0, validSeconds: 60, tls: null },
  );
  servers.push(server);
  return { board, url: server.url, failures };
}

interface Sending {
  readonly account?: typeof member;
  readonly timeMs?: number;
  /** The signed path and body, where they differ from those sent. */
  readonly signed?: { readonly path?: string; readonly body?: string };
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request as an attester does, with the given changes. */
async function send(url: string, path: string, body: string | object, sending: Sending = {}): Promise<Response> {
  const { account = member, timeMs = Date.now(), signed = {}, headers = {} } = sending;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const typed = exchangeRequestTypedData(signed.path ?? path, timeMs, signed.body ?? text);
  const { attester, time, signature } = EXCHANGE_HEADERS;
  return fetch(`${url}${path}`, {
    method: 'POST',
    body: text,
    headers: {
      [attester]: account.address,
      [time]: `${timeMs}`,
      [signature]: await account.signTypedData(typed),
      ...headers,
    },
  });
}

/** The status and the message of a refusal. */
async function readRefusal(answer: Promise<Response>) {
  const response = await answer;
  const { error } = (await response.json()) as { readonly error: string };
  return { status: response.status, error };
}

function aMint(): AttestItem {
  const payment = { depositNonce: 1n, token: anAddress(), recipient: anAddress(), amount: 5n };
  return { kind: 'MINT', id: aHash(), origin: { blockNumber: 7n, transactionHash: aHash() }, payment };
}

const makeWork = (over: object = {}) => ({ version: 3, instance: randomUUID(), after: 0, ...over });

describe('the exchange', () => {
  it('shows items, accepts verdicts and signatures, and wakes a waiting attester', async () => {
    const { board, url, failures } = await serve();
    const item = aMint();
    const waiting = send(url, EXCHANGE_PATHS.work, makeWork());
    board.show('FINAL', item);
    const work = (await (await waiting).json()) as { readonly after: number; readonly items: readonly object[] };
    expect(work).toMatchObject({ version: 3, settings: SETTINGS, instances: 1, gone: [], batches: [] });
    expect(work.items).toMatchObject([{ stage: 'FINAL', item: { id: item.id, payment: { amount: '5' } } }]);
    const verdicts = { version: 3, verdicts: [{ id: item.id, verdict: { kind: 'SIGN' } }] };
    expect((await send(url, EXCHANGE_PATHS.verdicts, verdicts)).status).toBe(200);
    expect(board.getVerdicts(item.id).get(address)).toMatchObject({ kind: 'SIGN' });
    const next = send(url, EXCHANGE_PATHS.work, makeWork({ after: work.after }));
    const [batch, collected] = collect(board, item.id);
    expect(await (await next).json()).toMatchObject({ items: [], batches: [{ digest: batch.digest, setNumber: '3' }] });
    const signature = await member.sign({ hash: batch.digest });
    const signed = { version: 3, digest: batch.digest, signature };
    expect((await send(url, EXCHANGE_PATHS.signatures, signed)).status).toBe(200);
    expect(await collected).toEqual([{ attester: address, signature }]);
    expect(failures).toEqual([]);
  });

  it.each<[string, number, RegExp, object | string, Sending]>([
    ['an unknown field', 400, /Unrecognized key.*"more"/, makeWork({ more: 1 }), {}],
    ['an invalid field', 400, /^after: /, makeWork({ after: -1 }), {}],
    ['no JSON', 400, /not JSON/, '{"version":1', {}],
    ['another version', 409, /^version: .*version 3, not 1/, { version: 1, anything: [] }, {}],
    ['an attester that is in no set', 403, /^x-causeway-attester: /, makeWork(), { account: stranger }],
    ['no attester', 403, /^x-causeway-attester: /, makeWork(), { headers: { [EXCHANGE_HEADERS.attester]: '' } }],
    ['a time of a minute ago', 403, /^x-causeway-time: /, makeWork(), { timeMs: Date.now() - 60_000 }],
    ['a time in the future', 403, /^x-causeway-time: /, makeWork(), { timeMs: Date.now() + 60_000 }],
    ['no time', 403, /^x-causeway-time: /, makeWork(), { headers: { [EXCHANGE_HEADERS.time]: 'now' } }],
    ['a signature of another path', 403, /^x-causeway-signature: /, makeWork(), { signed: { path: '/v1/verdicts' } }],
    ['a signature of another body', 403, /^x-causeway-signature: /, makeWork(), { signed: { body: '{}' } }],
    [
      'a signature of another time',
      403,
      /^x-causeway-signature: /,
      makeWork(),
      { headers: { [EXCHANGE_HEADERS.time]: `${Date.now() - 1_000}` } },
    ],
    ['no signature', 403, /^x-causeway-signature: /, makeWork(), { headers: { [EXCHANGE_HEADERS.signature]: '0x' } }],
    [
      'a stranger that claims to be a member',
      403,
      /^x-causeway-signature: /,
      makeWork(),
      { account: stranger, headers: { [EXCHANGE_HEADERS.attester]: member.address } },
    ],
    ['a body of more than 256 kB', 413, /more than 262144 bytes/, ' '.repeat(MAX_EXCHANGE_BYTES + 1), {}],
  ])('refuses %s with %i', async (_, status, error, body, sending) => {
    const { url, failures } = await serve();
    expect(await readRefusal(send(url, EXCHANGE_PATHS.work, body, sending))).toEqual({
      status,
      error: expect.stringMatching(error),
    });
    expect(failures).toEqual([]);
  });

  it('refuses a signature over an unknown batch, of another digest, or in another form', async () => {
    const { board, url } = await serve();
    const item = aMint();
    board.show('FINAL', item);
    const [batch, collected] = collect(board, item.id);
    const refuse = async (digest: Hex, hash: Hex) => {
      const signature = await member.sign({ hash });
      return readRefusal(send(url, EXCHANGE_PATHS.signatures, { version: 3, digest, signature }));
    };
    const other = aHash();
    expect(await refuse(other, other)).toEqual({ status: 403, error: `${other} is not the digest of a pending batch` });
    expect(await refuse(batch.digest, other)).toMatchObject({
      status: 403,
      error: expect.stringMatching(/^signature: /),
    });
    const short = { version: 3, digest: batch.digest, signature: '0x12' };
    expect((await send(url, EXCHANGE_PATHS.signatures, short)).status).toBe(400);
    expect(await collected).toBeNull();
  });

  it('proposes the reserves to a set, and publishes what as many members as needed state equally', async () => {
    const others = [0, 1].map(() => privateKeyToAccount(generatePrivateKey()));
    const members = [member, ...others].map((account) => account.address.toLowerCase() as Address);
    const { board, url } = await serve(members);
    const blocks = { ethereumBlock: 5n, ethereumHash: aHash(), partnerBlock: 9n, partnerHash: aHash() };
    const proposal = { day: 20_000n, previous: aHash(), ...blocks };
    const waiting = send(url, EXCHANGE_PATHS.work, makeWork());
    board.proposeReserves(proposal, { setNumber: 4n, members, threshold: 2 });
    const { reserves, after } = (await (await waiting).json()) as { reserves: object; after: number };
    expect(reserves).toEqual(JSON.parse(encodeAttest(proposal)));
    const usdc = { asset: 'USDC', locked: 7n, supply: 5n, held: 1n, inFlight: 2n, fees: 3n };
    const state = async (account: typeof member, over: Partial<ReservesStatement> = {}, signed = over) => {
      const statement = { ...proposal, assets: [usdc] };
      const signature = await account.signTypedData(reservesTypedData(LOCK, { ...statement, ...signed }));
      const body = encodeAttest({ version: 3, statement: { ...statement, ...over }, signature });
      return (await send(url, EXCHANGE_PATHS.reserves, body, { account })).status;
    };
    const wrong = { assets: [{ ...usdc, locked: 8n }] };
    expect(await state(member, { partnerBlock: 8n })).toBe(403);
    expect(await state(member, wrong, {})).toBe(403);
    expect(await state(member)).toBe(200);
    expect(await state(member)).toBe(403);
    expect(board.read(address, after).reserves).toBeNull();
    expect(await state(others[0]!, wrong)).toBe(200);
    expect(board.reserves?.findAgreed()).toBeNull();
    expect(await state(others[1]!)).toBe(200);
    expect(board.reserves?.findAgreed()).toMatchObject({
      statement: { ...proposal, assets: [usdc] },
      setNumber: 4n,
      signatures: [{ attester: members[0] }, { attester: members[2] }],
    });
  });

  it('answers other paths and methods like HTTP', async () => {
    const { url } = await serve();
    expect((await send(url, '/v1/other', {})).status).toBe(404);
    const get = await fetch(`${url}${EXCHANGE_PATHS.work}`);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('limits the requests of an address, and answers again a second later', async () => {
    const { url } = await serve();
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => (await send(url, '/v1/work', {}, { account: stranger })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([403, 429]));
    const verdicts = { version: 3, verdicts: [{ id: aHash(), verdict: { kind: 'SIGN' } }] };
    const isServed = async () => (await send(url, EXCHANGE_PATHS.verdicts, verdicts)).ok;
    for (let look = 0; look < 50 && !(await isServed()); look += 1) await new Promise((next) => setTimeout(next, 100));
    expect(await isServed()).toBe(true);
  });

  it('limits the connections of an address', async () => {
    const { url } = await serve();
    const { hostname, port } = new URL(url);
    const open = async (from: string) => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: from });
      sockets.push(socket);
      await once(socket, 'connect');
      return socket;
    };
    for (let count = 0; count < 32; count += 1) await open('127.0.0.2');
    await once((await open('127.0.0.2')).resume(), 'close');
    // Another address is served as usual.
    expect((await fetch(`${url}/v1/work`)).status).toBe(405);
  });

  it('provides doctor with its metrics: which attesters polled recently, and with how many processes', async () => {
    const board = new Board(Date.now);
    board.show('FINAL', aMint());
    const metrics = new RelayerMetrics();
    let url = '';
    const logger = {
      info: (fields: { readonly url: string }) => (url = fields.url),
      warn: () => undefined,
      error: () => undefined,
    };
    const members = async () => new Set([address]);
    const attesters = { board, members, readSets: async () => new Map(), onVerdicts: () => undefined };
    const exchange = { host: '127.0.0.1', port: 0, validSeconds: 60, tls: null };
    const listener = new ExchangeListener(
      { ...CONFIGURATION, exchange },
      logger,
      { now: Date.now },
      attesters,
      metrics,
    );
    await listener.onApplicationBootstrap();
    const health = { live: () => ({ healthy: true }), ready: () => ({ healthy: true }) };
    const monitored = { service: 'relayer', registry: metrics.registry, health };
    const served = await serveMetrics(monitored as never, { host: '127.0.0.1', port: 0 }, { error: () => undefined });
    const port = Number(new URL(served.url).port);
    const read = async () => readConnections({ metrics: { host: '127.0.0.1', port } });
    expect(await read()).toEqual({ ok: true, value: new Map() });
    const [one, other] = [makeWork(), makeWork()];
    await send(url, EXCHANGE_PATHS.work, one);
    expect(await read()).toEqual({ ok: true, value: new Map([[address, 1]]) });
    for (const work of [other, one]) await send(url, EXCHANGE_PATHS.work, work);
    expect(await read()).toEqual({ ok: true, value: new Map([[address, 2]]) });
    await Promise.all([served.close(), listener.onApplicationShutdown()]);
    expect(await read()).toMatchObject({ ok: false, reason: expect.any(String) });
  });

  it("records an attester's verdict in the trace of the operation, also of one that it refunds", async () => {
    const board = new Board(Date.now);
    const [mint, operationId, id] = [aMint(), aHash(), aHash()];
    board.show('FINAL', mint);
    board.show('FINAL', { kind: 'REFUND', id, approval: { operationId } } as AttestItem);
    const attesters = {
      board,
      members: async () => new Set([address]),
      readSets: async () => new Map(),
      onVerdicts: (listener: VerdictListener) => board.onVerdicts(listener),
    };
    const noted: unknown[] = [];
    const tracing = { noteAnswer: (...answer: readonly unknown[]) => noted.push(answer) };
    const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const settings = { ...CONFIGURATION, exchange: { host: '127.0.0.1', port: 0, validSeconds: 60, tls: null } };
    const clock = { now: Date.now };
    const listener = new ExchangeListener(settings, logger, clock, attesters, new RelayerMetrics(), tracing);
    await listener.onApplicationBootstrap();
    const verdict = { kind: 'SIGN' } as const;
    board.judge(address, [
      { id: mint.id, verdict },
      { id, verdict },
    ]);
    await listener.onApplicationShutdown();
    const name = 'attester: SIGN';
    const attributes = { 'causeway.attester': address };
    expect(noted).toEqual([
      [mint.id, name, attributes],
      [operationId, name, attributes],
    ]);
  });

  it('answers a member while another address floods it', async () => {
    const { url } = await serve();
    const flood = startFlood(`${url}${EXCHANGE_PATHS.verdicts}`);
    try {
      await waitUntil('the flood is refused', () => flood.statuses.has(429));
      const verdicts = { version: 3, verdicts: [{ id: aHash(), verdict: { kind: 'SIGN' } }] };
      const before = flood.count();
      const answers: number[] = [];
      for (let asked = 0; asked < 30; asked += 1)
        answers.push((await send(url, EXCHANGE_PATHS.verdicts, verdicts)).status);
      expect(new Set(answers)).toEqual(new Set([200]));
      // The flood continued in the meantime.
      await waitUntil('the flood goes on', () => flood.count() > before + 30);
    } finally {
      await flood.stop();
    }
    expect(flood.statuses).toEqual(new Set([403, 429]));
  });

  it('shuts down while attesters wait', async () => {
    const asked = Promise.withResolvers<void>();
    const { url } = await serve([address], () => asked.resolve());
    const waiting = send(url, EXCHANGE_PATHS.work, makeWork()).then(
      () => 'answered',
      () => 'ended',
    );
    await asked.promise;
    await servers.pop()?.close();
    expect(['answered', 'ended']).toContain(await waiting);
  });
});

/** Sends large unsigned requests from its own address, as fast as they are refused. */
function startFlood(url: string) {
  const agent = new Agent({ localAddress: '127.0.0.2' });
  const statuses = new Set<number>();
  let count = 0;
  const end = new AbortController();
  const ask = async () => {
    const sent = request(url, { agent, method: 'POST' });
    // The exchange closes the connection of a refused request, perhaps before it has read the body.
    sent.on('error', () => undefined).end('x'.repeat(100_000));
    const [answer] = (await Promise.race([once(sent, 'response'), once(sent, 'close')])) as [IncomingMessage?];
    if (answer?.statusCode !== undefined) statuses.add(answer.statusCode);
    answer?.resume();
    count += 1;
  };
  const floods = Array.from({ length: 16 }, async () => {
    while (!end.signal.aborted) await ask();
  });
  return {
    statuses,
    count: () => count,
    stop: async () => {
      end.abort();
      await Promise.all(floods);
      agent.destroy();
    },
  };
}

/** A batch of one item that waits only for the member's signature. */
function collect(board: Board, id: Hex) {
  const batch: AttestBatch = { digest: aHash(), call: 'MINT_MANY', ids: [id], setNumber: 3n, validUntil: 2n ** 40n };
  return [batch, board.collect(batch, { setNumber: 3n, members: [address], threshold: 1 }, 2_000)] as const;
}
