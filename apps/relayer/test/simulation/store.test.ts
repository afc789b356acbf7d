import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { isLong, seed } from '@causeway/test-kit';
import { INTENT_STEPS, REFUND_STEPS } from './store-money-steps.js';
import { StorePair } from './store-pair.js';
import { compareRows } from './store-readers.js';
import { Script } from './store-script.js';
import { beginScript, CHAIN_STEPS, WALLET_STEPS } from './store-steps.js';

// Random histories on the store in memory and on the real one. Every answer and every error must be the same, and so
// must the rows. Replay: TEST_SEED.

jest.setTimeout(isLong ? 1_800_000 : 120_000);

const HISTORIES = isLong ? 200 : 3;
const STEPS = 200;
/** Steps between two comparisons of all rows. */
const COMPARED_EVERY = 100;
const ALL_STEPS = [...CHAIN_STEPS, ...WALLET_STEPS, ...INTENT_STEPS, ...REFUND_STEPS];

let pair: StorePair;
beforeAll(async () => {
  pair = await StorePair.open();
});
afterAll(() => pair.close());

/** Plays one history. */
async function play(script: Script): Promise<void> {
  await beginScript(script);
  const total = ALL_STEPS.reduce((sum, [weight]) => sum + weight, 0);
  for (let step = 1; step <= STEPS; step++) {
    let dice = script.random() * total;
    const chosen = ALL_STEPS.find(([weight]) => (dice -= weight) < 0);
    await chosen?.[1](script);
    if (step % COMPARED_EVERY === 0) await compareRows(script);
  }
}

describe('the store in memory', () => {
  const first = seed();
  for (let number = 0; number < HISTORIES; number++) {
    const seedOfHistory = (first + number) % 2 ** 31;
    it(`TEST_SEED=${seedOfHistory}: answers as the real one`, async () => {
      await pair.begin();
      await expect(play(new Script(pair, seedOfHistory))).resolves.toBeUndefined();
      await pair.end();
    });
  }
});
