import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parseAmount } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { RequestResponse, RequestTerms } from '@causeway/protocol/admin';
import { openStore, type Refund, type Store } from '@causeway/store';
import { isLong, seed, waitUntil } from '@causeway/test-kit';
import { AdminClient, type AdminApi } from '../../chaos/admin-client.js';
import { temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';

// Requests of operators, sent to the API while the API and the relayer are killed at random moments. Replay: TEST_SEED.

jest.setTimeout(isLong ? 3_600_000 : 600_000);

/** At night 200 kills and 500 requests. */
const ROUNDS = isLong ? 10 : 1;
const KILLS = isLong ? 20 : 8;
const REFUNDS = isLong ? 40 : 16;
/** Halts and resumes of the deliveries, one after the other. */
const PAIRS = isLong ? 5 : 2;
const REQUESTS = REFUNDS + 2 * PAIRS;
const LONGEST_LIFE_MS = 4_000;
const AMOUNT = parseAmount('XCN', '100');

let environment: TestEnvironment;
let store: Store;
let api: AdminApi;
let first: AdminClient;
let second: AdminClient;

beforeAll(async () => {
  environment = await temporaryEnvironment();
  const { stack, book, accounts } = environment;
  store = openStore({ databaseUrl: stack.databaseUrl, onIdleError: () => undefined });
  api = { consoleUrl: stack.consoleUrl, book };
  first = await AdminClient.signIn(api, accounts.firstOperator.privateKey);
  second = await AdminClient.signIn(api, accounts.secondOperator.privateKey);
});
afterAll(async () => {
  await store?.close();
  await environment?.stop();
});

/** Mulberry32. */
function makeRandom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Transfers that pay no intent, each with its refund. */
async function requestedRefunds(): Promise<readonly Refund[]> {
  const { partner, accounts, book } = environment;
  const before = new Set((await store.refunds.findOpen()).map(({ id }) => id));
  const wallet = partner.getWallet(accounts.alice);
  const count = await partner.client.getTransactionCount({ address: accounts.alice.address });
  for (let index = 0; index < REFUNDS; index++)
    await wallet.sendTransaction({ to: book.relayer, value: AMOUNT, nonce: count + index });
  const fresh = async () => (await store.refunds.findOpen()).filter(({ id }) => !before.has(id));
  await waitUntil('all refunds are requested', async () => (await fresh()).length === REFUNDS, { timeoutMs: 120_000 });
  return fresh();
}

/** Kills the API or the relayer at random moments, and starts each again. */
async function kill(random: () => number): Promise<void> {
  const { stack } = environment;
  const adminPort = new URL(stack.consoleUrl).port;
  for (let count = 0; count < KILLS; count++) {
    await later(random() * LONGEST_LIFE_MS);
    const service = random() < 0.5 ? 'relayer' : 'api';
    await environment.processes.kill(service);
    environment.startService(service, service, service === 'api' ? { ADMIN_PORT: adminPort } : {});
  }
}

/** Asks, has it approved when it needs that, and waits for its end. */
async function carriedOut(terms: RequestTerms): Promise<RequestResponse> {
  const asked = await first.ask(terms);
  if (asked.state === 'AWAITING_APPROVAL') await second.approve(asked);
  return ended(asked.id);
}

async function ended(id: string): Promise<RequestResponse> {
  let request = await first.find(id);
  await waitUntil(
    `request ${id} has ended`,
    async () => {
      request = await first.find(id);
      return request.endedAt !== null;
    },
    { timeoutMs: 300_000 },
  );
  return request;
}

async function haltAndResume(): Promise<RequestResponse[]> {
  const done: RequestResponse[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    done.push(await carriedOut({ kind: 'HALT', target: 'deliveries' }));
    expect(await store.halts.deliveries()).not.toBeNull();
    done.push(await carriedOut({ kind: 'RESUME', target: 'deliveries', accept: 'nothing' }));
    expect(await store.halts.deliveries()).toBeNull();
  }
  return done;
}

/** Half of the refunds are approved and half refused, each asked at a random moment of the kills. */
async function decideRefunds(refunds: readonly Refund[], random: () => number): Promise<RequestResponse[]> {
  return Promise.all(
    refunds.map(async ({ id: refundId, payer, amount }, index) => {
      await later((random() * KILLS * LONGEST_LIFE_MS) / 2);
      return index % 2 === 0
        ? carriedOut({ kind: 'REFUND_APPROVE', refundId, recipient: payer, amount: amount.toString() })
        : carriedOut({ kind: 'REFUND_REFUSE', refundId });
    }),
  );
}

async function countPayments(refundId: Refund['id']): Promise<number> {
  const { book, partner } = environment;
  const { bridgeMint: address } = book.partner;
  const events = { address, abi: bridgeMintAbi, eventName: 'Refunded', args: { refundId }, fromBlock: 0n } as const;
  return (await partner.client.getContractEvents(events)).length;
}

describe('requests of the console', () => {
  for (let round = 0; round < ROUNDS; round++) {
    const start = seed() + round;
    it(`TEST_SEED=${start}: each of ${REQUESTS} is carried out once, whenever the API and the relayer are killed`, async () => {
      const random = makeRandom(start);
      const refunds = await requestedRefunds();
      const [decided, halted] = await Promise.all([decideRefunds(refunds, random), haltAndResume(), kill(random)]);
      const all = [...decided, ...halted];
      expect(all.map(({ state, outcome }) => (state === 'DONE' ? state : outcome))).toEqual(
        Array.from({ length: REQUESTS }, () => 'DONE'),
      );

      const readStatus = async ({ id }: Refund) => (await store.refunds.find(id))?.status;
      for (const [index, refund] of refunds.entries()) {
        const expected = index % 2 === 0 ? 'COMPLETED' : 'REFUSED';
        await waitUntil(`refund ${index} is ${expected}`, async () => (await readStatus(refund)) === expected, {
          timeoutMs: 120_000,
        });
        expect(await countPayments(refund.id)).toBe(index % 2 === 0 ? 1 : 0);
      }

      const rows: string[] = [];
      for await (const page of store.adminAudit.all({ actor: null, action: null, subject: null }))
        for (const { after } of page) {
          const { requestId, state } = (after ?? {}) as { requestId?: string; state?: string };
          if (requestId !== undefined && state === 'DONE') rows.push(requestId);
        }
      const ids = all.map(({ id }) => id);
      expect(
        rows.filter((id) => all.some((request) => request.id === id)).toSorted((a, b) => (a < b ? -1 : 1)),
      ).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
      expect((await store.adminAudit.verify()).broken).toBeNull();
    });
  }
});
