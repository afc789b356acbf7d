import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { User } from '@causeway/testbed';
import { isLong, seed, startChromium, waitUntil } from '@causeway/test-kit';
import { bridgeForBob } from '../sdk/users.js';
import { temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';
import { closeAndOpen } from './closing.js';
import { cancelDeposit, claimCredit, completeEveryFlow, depositFromSmartAccount } from './journeys.js';
import { findPlantedBug, interruptTransfers } from './interruptions.js';
import { LIES } from './lying-api.js';
import { writeScreenshots } from './screenshots.js';
import { resistLies } from './victims.js';
import type { Browser } from './visitor.js';

// The page for people on the whole bridge: Chromium with wallets of real keys, served by the API.

type Story = readonly [name: string, act: (environment: TestEnvironment, browser: Browser) => Promise<void>];

const TEST_SEED = seed();
const RUNS = isLong ? 300 : 5;
/** All of them at night. */
const LIES_TOLD = isLong ? LIES.length : 5;
const STORIES: readonly Story[] = [
  ['completes every flow, to the unit', completeEveryFlow],
  ['follows a transaction that its user cancels', cancelDeposit],
  ['deposits from a smart account as one batch', depositFromSmartAccount],
  ['claims a credit by one button', claimCredit],
  [
    `TEST_SEED=${TEST_SEED}: makes each of ${RUNS} interrupted transfers once`,
    async (bridge, chromium) => interruptTransfers(bridge, chromium, TEST_SEED, RUNS),
  ],
  ['would be found to open a second window', findPlantedBug],
  [
    `TEST_SEED=${TEST_SEED}: asks for nothing wrong, whatever the API says`,
    async (bridge, chromium) => resistLies(bridge, chromium, TEST_SEED, LIES_TOLD),
  ],
];
const LONGEST_MS = isLong ? 1_800_000 : 300_000;
let environment: TestEnvironment;
let browser: Browser;

beforeAll(async () => {
  [environment, browser] = await Promise.all([temporaryEnvironment({ web: true }), startChromium()]);
  const bob = new User(environment, environment.accounts.bob);
  const isDelivered = async (hash: `0x${string}`) => (await bob.status(hash))?.status === 'COMPLETED';
  await bridgeForBob(environment, async (hash) => waitUntil('a deposit of Bob arrives', async () => isDelivered(hash)));
});
afterAll(async () => {
  await browser?.close();
  await environment?.stop();
});

const pictures = process.env['SCREENSHOTS'];
if (pictures === undefined) describeStories();
else
  it('the page is pictured', async () => {
    await expect(writeScreenshots(environment, browser, pictures)).resolves.toBeUndefined();
  });

function describeStories(): void {
  describe('the page', () => {
    const ends = new Map<string, Promise<void>>();
    beforeAll(async () => {
      for (const [name, act] of STORIES) ends.set(name, act(environment, browser));
      // Each test checks its own story.
      await Promise.allSettled(ends.values());
    }, LONGEST_MS);

    it.each(STORIES)('%s', async (name) => expect(ends.get(name)).resolves.toBeUndefined());

    // Last, since it stops parts of the bridge.
    it('closes within 20 seconds, says why, and opens again', async () => {
      await expect(closeAndOpen(environment, browser)).resolves.toBeUndefined();
    });
  });
}
