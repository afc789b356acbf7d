import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount } from '@causeway/protocol';
import type { PostgresServer } from '@causeway/test-kit';
import { Pool } from 'pg';
import { migratedDatabase, startApiProcess, type ApiProcess } from '../server/api-process.js';
import { alice, INTENT, signIntent } from '../signed-intent.js';
import { temporaryBridge, type TemporaryBridge } from '../temporary-bridge.js';

let bridge: TemporaryBridge;
let database: PostgresServer;
let replicas: ApiProcess[] = [];
let sql: Pool;
beforeAll(async () => {
  [bridge, database] = await Promise.all([temporaryBridge(), migratedDatabase()]);
  const { ethereum, partner, book } = bridge;
  await partner.test.setBalance({ address: alice.address, value: parseAmount('XCN', '1000000') });
  const nodes = { ETHEREUM_RPC_URLS: ethereum.url, PARTNER_RPC_URLS: partner.url };
  replicas = await Promise.all([1, 2].map(() => startApiProcess(database.url, nodes, book)));
  sql = new Pool({ connectionString: database.url, max: 1 });
});
afterAll(async () => {
  await sql?.end();
  // In reverse order, because each ends its own checks of `fetch`.
  for (const replica of replicas.toReversed()) await replica.stop();
  await Promise.all([database?.stop(), bridge?.stop()]);
});

const REPEATS = 20;
const AT_ONCE = Array.from({ length: 50 }, (_, index) => index);

/** Sends a body to one of two replicas, and retries after a timeout on a busy machine, as clients do. */
async function register(body: object, index: number) {
  const headers = { 'content-type': 'application/json' };
  const url = `${replicas[index % 2]!.url}${INTENT}`;
  for (let repeats = 0; ; repeats += 1) {
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = { status: response.status, body: (await response.json()) as Record<string, unknown> };
    if (answer.status !== 503 || repeats === REPEATS) return answer;
    await setTimeout(1_000);
  }
}
const stored = async (sender: string) =>
  (await sql.query('SELECT 1 FROM intent JOIN operation USING (id) WHERE intent.sender = $1', [sender])).rowCount;

describe('50 intents at the same time', () => {
  it('that are equal are one row and 50 equal answers', async () => {
    const body = await signIntent(bridge.book);
    const answers = await Promise.all(AT_ONCE.map((index) => register(body, index)));
    expect(answers[0]).toMatchObject({ status: 200, body: { status: 'PENDING_ORIGIN_TX' } });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await stored(body.senderAddress)).toBe(1);
  });

  it('with one key or one nonce are one row and 49 refusals that name the field', async () => {
    for (const field of ['idempotencyKey', 'nonce'] as const) {
      const before = await stored(alice.address.toLowerCase());
      const bodies = await Promise.all(AT_ONCE.map(() => signIntent(bridge.book, { [field]: `one ${field}` })));
      const answers = await Promise.all(bodies.map((body, index) => register(body, index)));
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused).toHaveLength(49);
      for (const { status, body } of refused)
        expect({ status, ...body }).toMatchObject({
          status: 400,
          error: 'VALIDATION_ERROR',
          message: expect.stringMatching(new RegExp(`^${field} `)),
        });
      expect(await stored(alice.address.toLowerCase())).toBe(before! + 1);
    }
  });
});
