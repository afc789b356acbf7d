import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import { intentDigest, intentDomain, parseAmount } from '@causeway/protocol';
import { openStore, type Store } from '@causeway/store';
import { aBlock, aBurn, aDelivery, aDeposit, opening, paying } from '@causeway/store/test';
import {
  aHash,
  anAddress,
  ETHEREUM,
  PARTNER,
  startRedis,
  startTcpProxy,
  type PostgresServer,
  type RedisServer,
  type TcpProxy,
} from '@causeway/test-kit';
import { Pool } from 'undici';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { INTENT, formatMessage, signIntent } from '../signed-intent.js';
import { temporaryBridge, type TemporaryBridge } from '../temporary-bridge.js';
import { migratedDatabase, startApiProcess, type ApiProcess } from './api-process.js';
import { sendTraffic, type Question, type Replica } from './traffic.js';

// Two replicas under 500 requests per second of reads and intents, with each response compared with the truth, while a
// dependency fails and recovers, or a replica is killed.

const PER_SECOND = 500;
const FAULT_SECONDS = process.env['LONG_TESTS'] === '1' ? 20 : 1;
/** Longer than the 2 seconds for which a replica waits for values, and beyond which it shows none. */
const STANDSTILL_MS = 3_000;
/** Requests before the fault. */
const QUIET_SECONDS = 0.5;
/** Requests after it. */
const RECOVERY_SECONDS = 2.5;
const TRAFFIC_SECONDS = QUIET_SECONDS + FAULT_SECONDS + RECOVERY_SECONDS;
/** One in this many requests is an intent. */
const INTENT_EVERY = 50;

let bridge: TemporaryBridge;
let database: PostgresServer;
let store: Store;
let redis: RedisServer;
/** The services that can have a proxy in front. */
type Link = 'database' | 'ethereum' | 'partner';
const links = new Map<Link, TcpProxy>();
let replicas: (Replica & { readonly api: ApiProcess })[];
let reads: Question[];

async function proxyTo(name: Link, target: string): Promise<string> {
  const url = new URL(target);
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  links.set(name, proxy);
  url.port = String(proxy.port);
  return url.href;
}

let variables: Record<string, string>;
let databaseUrl: string;
async function startReplica() {
  const api = await startApiProcess(databaseUrl, variables, bridge.book);
  return { api, pool: new Pool(api.url, { connections: 25 }), isKilled: false };
}

beforeAll(async () => {
  [bridge, database, redis] = await Promise.all([temporaryBridge(), migratedDatabase(), startRedis()]);
  store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
  databaseUrl = await proxyTo('database', database.url);
  variables = {
    ETHEREUM_RPC_URLS: await proxyTo('ethereum', bridge.ethereum.url),
    PARTNER_RPC_URLS: await proxyTo('partner', bridge.partner.url),
    REDIS_URL: redis.url,
    RATE_LIMIT_PER_SECOND: '100000',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_INTENTS_PER_MINUTE: '100000',
    MAX_OPEN_INTENTS_PER_CLIENT: '100000',
    LOG_LEVEL: 'error',
  };
  const operations = await fillDatabase();
  replicas = await Promise.all([startReplica(), startReplica()]);
  reads = [...operations, ...(await askChainQuestions())];
});
afterAll(async () => {
  for (const { pool, api } of replicas) await Promise.all([pool.destroy(), api.stop()]);
  await Promise.all([...links.values()].map((proxy) => proxy.close()));
  await store?.close();
  await Promise.all([redis?.kill(), bridge?.stop(), database?.stop()]);
});

/** Stores 60 operations, 20 of them paid, and returns look-ups of them with the expected responses. */
async function fillDatabase(): Promise<Question[]> {
  const fence = await store.lease.acquire('relayer', 'test', 3_600_000);
  if (fence === null) throw new Error('The lease of a new database is taken');
  for (const chainId of [ETHEREUM, PARTNER]) await store.scan.begin(fence, chainId, 1n);
  const [sender, recipient] = [anAddress(), anAddress()];
  const deposits = Array.from({ length: 40 }, () => aDeposit({ sender, recipient }));
  const burns = Array.from({ length: 20 }, () => aBurn({ sender: recipient, recipient: sender }));
  const origin = aBlock(1n, { events: deposits.map((terms, index) => opening(terms, index)) });
  await store.scan.extend(fence, ETHEREUM, [origin], 1n);
  const paid = deposits.slice(0, 20);
  const { hash: blockHash, timestamp: finalizedAt } = origin;
  const finality = { blockHash, confirmations: 12, finalizedAt, holdUntil: null };
  await store.operations.finalizeAll(
    fence,
    paid.map(({ id }) => ({ operationId: id, ...finality })),
  );
  await store.operations.releaseHolds(
    fence,
    paid.map(({ id }) => id),
    new Date(),
  );
  for (const [index, terms] of paid.entries()) {
    const block = aBlock(BigInt(index + 1), { events: [paying(terms)] });
    await store.scan.extend(fence, PARTNER, [block], block.number);
    await store.operations.settleAll(fence, [aDelivery(PARTNER, block)]);
  }
  const last = aBlock(21n, { events: burns.map((terms, index) => opening(terms, index)) });
  await store.scan.extend(fence, PARTNER, [last], 21n);

  const contains = (status: number, ...words: string[]) => {
    return (got: number, body: string) => got === status && words.every((word) => body.includes(word));
  };
  const known = [...deposits, ...burns].map((terms): Question => {
    const name = terms.direction === 'ETHEREUM_TO_PARTNER' ? 'depositId' : 'withdrawId';
    const status = paid.includes(terms) ? 'COMPLETED' : 'CONFIRMING';
    const words = [
      `"id":"${terms.id}"`,
      `"status":"${status}"`,
      `"amount":"${terms.amount}"`,
      `"sender":"${terms.sender}"`,
    ];
    return { path: `/api/v1/bridge/status?${name}=${terms.id}`, isRight: contains(200, ...words) };
  });
  const newest = [...deposits, ...burns].map(({ id }) => id).toReversed();
  const pages = [sender, recipient].map((address): Question => ({
    path: `/api/v1/bridge/history?address=${address}&limit=60`,
    isRight: (status, body) =>
      status === 200 && [...body.matchAll(/"id":"(0x\w{64})"/g)].map(([, id]) => id).join() === newest.join(),
  }));
  const unknown = Array.from({ length: 10 }, (): Question => ({
    path: `/api/v1/bridge/status?depositId=${aHash()}`,
    isRight: contains(404, 'OPERATION_NOT_FOUND'),
  }));
  return [...known, ...pages, ...unknown];
}

const AWAY = /"undeliverableReason":"(DATABASE|CHAIN)_AWAY"/;
const NOW = new Set(
  'deliverable deliverableAt undeliverableReason deliveriesPaused estimatedSeconds availableAmount outflowRoom'.split(
    ' ',
  ),
);
/** Removes what can be delivered now; the rest stays the same with last known values. */
const stripChanging = (body: string) =>
  JSON.stringify(JSON.parse(body), (key, value: unknown) => (NOW.has(key.replace('Formatted', '')) ? null : value));

/** Quotes and limits as a replica returns them before the fault. During the fault, nothing is deliverable. */
async function askChainQuestions(): Promise<Question[]> {
  const paths = ['limits', 'config', 'fee-quote?token=USDC&amount=2400.5&direction=PARTNER_TO_ETHEREUM'];
  return Promise.all(
    paths.map(async (path): Promise<Question> => {
      const answer = await fetch(`${replicas[0]?.api.url}/api/v1/bridge/${path}`);
      const truth = await answer.text();
      expect([path, answer.status]).toEqual([path, 200]);
      const isRight = (status: number, body: string) =>
        status === 200 && (body === truth || (AWAY.test(body) && stripChanging(body) === stripChanging(truth)));
      return { path: `/api/v1/bridge/${path}`, isRight };
    }),
  );
}

/** Intents of five senders, with the expected responses. */
async function signedIntents(count: number) {
  const senders = Array.from({ length: 5 }, () => privateKeyToAccount(generatePrivateKey()));
  const signed: { readonly id: string; readonly question: Question }[] = [];
  for (let index = 0; index < count; index += 1) {
    const signer = senders[index % senders.length]!;
    const over = { senderAddress: lower(signer.address), recipientAddress: anAddress() };
    const body = await signIntent(bridge.book, over, undefined, signer);
    const id = intentDigest(intentDomain(bridge.book.partner), formatMessage(body));
    const words = [`"intentId":"${id}"`, `"amountAtomic":"${body.amountAtomic}"`, `"fee":{"amount":"${FEE}"`];
    const isRight = (status: number, answer: string) => status === 200 && words.every((word) => answer.includes(word));
    signed.push({ id, question: { path: INTENT, body, isRight } });
  }
  return signed;
}
const FEE = parseAmount('XCN', '1000');

const breakOff = async (...names: readonly Link[]) => {
  for (const name of names) links.get(name)?.become('cut');
  await sleep(FAULT_SECONDS * 1_000);
  for (const name of names) links.get(name)?.become('open');
};

it.each<[string, () => Promise<void>]>([
  [
    'a replica is killed, and another one starts in its place',
    async () => {
      const killed = replicas[0]!;
      killed.isKilled = true;
      killed.api.child.kill('SIGKILL');
      replicas.push(await startReplica());
    },
  ],
  [
    'a replica stalls for longer than its own limits, and resumes',
    async () => {
      const { child } = replicas.at(-1)!.api;
      child.kill('SIGSTOP');
      await sleep(STANDSTILL_MS);
      child.kill('SIGCONT');
    },
  ],
  [
    'Redis does not answer, is killed, and recovers',
    async () => {
      redis.freeze();
      await sleep(500);
      await redis.kill();
      await sleep(FAULT_SECONDS * 1_000);
      redis = await startRedis(Number(new URL(redis.url).port));
    },
  ],
  ['the database breaks off, and recovers', () => breakOff('database')],
  ['the nodes break off, and recover', () => breakOff('ethereum', 'partner')],
])('every answer is right while %s', async (_, fail) => {
  const intents = await signedIntents(Math.ceil((PER_SECOND * TRAFFIC_SECONDS) / INTENT_EVERY));
  const traffic = sendTraffic({
    perSecond: PER_SECOND,
    seconds: TRAFFIC_SECONDS,
    replicas,
    questionAt: (index) =>
      index % INTENT_EVERY === 0 ? intents[index / INTENT_EVERY]!.question : reads[index % reads.length]!,
  });
  const failing = async () => {
    await sleep(QUIET_SECONDS * 1_000);
    await fail();
  };
  const [{ wrong, right }] = await Promise.all([traffic, failing()]);
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(right).toBe(PER_SECOND * TRAFFIC_SECONDS);

  // Every replica knows the operations accepted before or during the fault.
  for (const { pool } of replicas.filter(({ isKilled }) => !isKilled)) {
    for (const { id } of intents) {
      const { statusCode, body } = await pool.request({ path: `/api/v1/bridge/status?intentId=${id}`, method: 'GET' });
      expect([statusCode, await body.json()]).toEqual([200, expect.objectContaining({ status: 'PENDING_ORIGIN_TX' })]);
    }
  }
});
