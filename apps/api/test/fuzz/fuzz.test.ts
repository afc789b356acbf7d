import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lower } from '@causeway/chain';
import { parseAmount } from '@causeway/protocol';
import { aHash, isLong, seed, waitUntil, type PostgresServer } from '@causeway/test-kit';
import fc from 'fast-check';
import { buildDocument } from '../../src/openapi/document.js';
import examples from '../../src/openapi/examples.json' with { type: 'json' };
import { exchange, migratedDatabase, startApiProcess, type ApiProcess, type RawAnswer } from '../server/api-process.js';
import { alice, INTENT, signIntent } from '../signed-intent.js';
import { answerChecker } from '../temporary-api.js';
import { temporaryBridge, type TemporaryBridge } from '../temporary-bridge.js';
import { brokenRequest } from './broken-requests.js';
import { documentRequest, type DrawnRequest, type KnownValues } from './document-requests.js';

// Expects no 5xx except the specified 503s, and only responses that the document describes.

/** Printed at the start; TEST_SEED repeats a run. */
const SEED = seed();
const DESCRIBED_REQUESTS = isLong ? 46_000 : 1_840;
const BROKEN_REQUESTS = isLong ? 4_000 : 160;
/** Concurrent connections. Unfinished requests wait for REQUEST_TIMEOUT_MS. */
const CONNECTIONS = { described: 50, broken: 200 } as const;
const TIMEOUT_MS = 600_000;
const READ_MS = 20_000;

let bridge: TemporaryBridge;
let database: PostgresServer;
let api: ApiProcess;
beforeAll(async () => {
  [bridge, database] = await Promise.all([temporaryBridge(), migratedDatabase()]);
  const { ethereum, partner, book } = bridge;
  const nodes = { ETHEREUM_RPC_URLS: ethereum.url, PARTNER_RPC_URLS: partner.url };
  const variables = { ...nodes, REQUEST_TIMEOUT_MS: '1000', HTTP_IDLE_TIMEOUT_MS: '5000', LOG_LEVEL: 'error' };
  api = await startApiProcess(database.url, variables, book);
  await partner.test.setBalance({ address: alice.address, value: parseAmount('XCN', '1000000') });
  process.stdout.write(`fuzz: TEST_SEED=${SEED}, ${DESCRIBED_REQUESTS} + ${BROKEN_REQUESTS} requests\n`);
}, TIMEOUT_MS);
afterAll(async () => {
  await api?.stop();
  await Promise.all([database?.stop(), bridge?.stop()]);
});
/** Whatever was sent, the service must be alive without faults in its log. */
const state = async () => ({
  exitCode: api.child.exitCode,
  ready: (await fetch(`${api.url}/health/ready`)).status,
  faults: api.log(),
});
const UNHARMED = { exitCode: null, ready: 200, faults: [] };

/** Sends drawn requests, and returns the problems of the answers. */
async function findProblems(
  arbitrary: fc.Arbitrary<DrawnRequest>,
  count: number,
  width: number,
  findProblem: (request: DrawnRequest, answers: RawAnswer[]) => string | null,
): Promise<string[]> {
  const problems: string[] = [];
  for (let sent = 0; sent < count && problems.length < 5; sent += width) {
    const batch = fc.sample(arbitrary, { seed: SEED + sent, numRuns: Math.min(width, count - sent) });
    const answered = batch.map(async (request) => {
      const problem = findProblem(request, await exchange(api.port, request.bytes, READ_MS));
      if (problem !== null)
        problems.push(`${problem}\nof ${JSON.stringify(request.bytes.toString('latin1').slice(0, 700))}`);
    });
    await Promise.all(answered);
  }
  return problems.slice(0, 5);
}

function problemIn(
  { method, url }: { readonly method: string; readonly url: string },
  answer: RawAnswer,
): string | null {
  if (answer.status >= 500 && answer.status !== 503) return `${answer.status}: ${answer.body}`;
  try {
    answerChecker.check({ method, url, ...answer });
    return null;
  } catch (error) {
    return String(error);
  }
}

const exactly = ({ requests }: DrawnRequest, answers: RawAnswer[]): string | null =>
  answers.length === requests.length
    ? (requests.map((request, index) => problemIn(request, answers[index]!)).find((problem) => problem !== null) ??
      null)
    : `${answers.length} answers instead of ${requests.length}: ${JSON.stringify(answers).slice(0, 500)}`;

/** Bytes can be anything: responses, if any, must be failures or those of the endpoints they may have become. */
const anything = (_: DrawnRequest, answers: RawAnswer[]): string | null => {
  const oddities = answers.filter(
    ({ status, body }) =>
      Number.isNaN(status) ||
      (status >= 500 && status !== 503) ||
      (status >= 400 && !/^(\{"error":".*\}|)$/s.test(body)),
  );
  return oddities.length === 0 ? null : JSON.stringify(oddities).slice(0, 500);
};

/** Values that requests can find: intents of Alice, half of them registered. */
async function knownValues(): Promise<KnownValues> {
  const bodies = await Promise.all(Array.from({ length: 20 }, () => signIntent(bridge.book)));
  const ids: string[] = [];
  for (const body of bodies.slice(0, 10)) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(api.url + INTENT, { method: 'POST', headers, body: JSON.stringify(body) });
    ids.push(((await response.json()) as { intentId: string }).intentId);
  }
  const [senderAddress, unknown] = [lower(alice.address), aHash()];
  const addresses = [senderAddress, alice.address, bodies[0]!.recipientAddress];
  return {
    registerIntent: bodies,
    getStatus: ids.map((intentId) => ({ intentId })),
    getHistory: [{ address: senderAddress }, { ids: ids.join(',') }, { address: senderAddress, status: 'FAILED' }],
    bindOrigin: ids.map((intentId) => ({ intentId, senderAddress, originTxHash: unknown })),
    id: ids,
    intentId: ids,
    withdrawId: ids,
    depositId: [...ids, unknown],
    hash: [...ids, unknown],
    ids: [ids.join(','), ids[0]],
    cursor: ids,
    originTxHash: [undefined, unknown],
    address: addresses,
    senderAddress: addresses,
    recipientAddress: addresses,
    limit: ['100', '1'],
    offset: ['0', undefined],
    status: ['EXPIRED,PENDING_ORIGIN_TX', undefined],
    role: ['sender', undefined],
    index: ['0', undefined],
    direction: ['PARTNER_TO_ETHEREUM', 'ETHEREUM_TO_PARTNER'],
    token: ['ETH', 'USDC', 'XCN'],
    amount: ['6000', '0.000001', '25', '0'],
    amountAtomic: ['6000000000000000000000', '1'],
  };
}

describe('hostile requests', () => {
  it(
    'of all endpoints are answered as the document says',
    async () => {
      const { paths } = buildDocument(examples, api.url);
      const arbitrary = documentRequest(paths, examples, await knownValues());
      await waitUntil('the nodes are known', async () => (await fetch(`${api.url}/api/v1/bridge/limits`)).ok);
      expect(await findProblems(arbitrary, DESCRIBED_REQUESTS, CONNECTIONS.described, exactly)).toEqual([]);
      expect(await state()).toEqual(UNHARMED);
    },
    TIMEOUT_MS,
  );

  it(
    'that are barely HTTP are refused in the specified form, each exactly once',
    async () => {
      const findProblem = (request: DrawnRequest, answers: RawAnswer[]) =>
        (request.requests.length === 0 ? anything : exactly)(request, answers);
      expect(await findProblems(brokenRequest, BROKEN_REQUESTS, CONNECTIONS.broken, findProblem)).toEqual([]);
      expect(await state()).toEqual(UNHARMED);
    },
    TIMEOUT_MS,
  );
});
