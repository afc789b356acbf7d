import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { User } from '@causeway/testbed';
import { isLong, seed, waitUntil } from '@causeway/test-kit';
import { COMMAND_STORIES } from './sdk/command-line.js';
import { describeCalls } from './sdk/calls.js';
import { completeWithEthers } from './sdk/flows.js';
import { depositInBatch, describeGuards } from './sdk/guards.js';
import { handOver } from './sdk/handovers.js';
import { killClients } from './sdk/kills.js';
import { depositInReactPage } from './sdk/react-page.js';
import { bridgeForBob, type Story } from './sdk/users.js';
import { temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

// The packages that partners install, on one bridge.

const TEST_SEED = seed();
const KILLS = isLong ? 300 : 20;
const STORIES: readonly Story[] = [
  ['flows complete with ethers, to the unit', completeWithEthers],
  [
    `TEST_SEED=${TEST_SEED}: each of ${KILLS} transfers that are killed, refused, cancelled or sped up begins once or not at all`,
    async (bridge) => killClients(bridge, TEST_SEED, KILLS),
  ],
  [
    `TEST_SEED=${TEST_SEED}: a transfer of a page that dies is continued by a command that is killed, and completed once by a program`,
    async (bridge) => handOver(bridge, TEST_SEED, isLong ? 6 : 1),
  ],
  ['a deposit of a smart account is one batch that is never sent twice', depositInBatch],
  ['the page of docs/integrate/react.md deposits once, after a refusal and two reloads', depositInReactPage],
  ...COMMAND_STORIES,
];
const LONGEST_MS = isLong ? 1_800_000 : 300_000;
let environment: TestEnvironment;

beforeAll(async () => {
  environment = await temporaryEnvironment();
  const bob = new User(environment, environment.accounts.bob);
  const isDelivered = async (hash: `0x${string}`) => (await bob.status(hash))?.status === 'COMPLETED';
  await bridgeForBob(environment, async (hash) => waitUntil('a deposit of Bob arrives', async () => isDelivered(hash)));
});
afterAll(async () => environment?.stop());

describe('users at the same time', () => {
  const ends = new Map<string, Promise<void>>();
  beforeAll(async () => {
    for (const [name, act] of STORIES) ends.set(name, act(environment));
    // Each test checks its own story.
    await Promise.allSettled(ends.values());
  }, LONGEST_MS);

  it.each(STORIES)('%s', async (name) => expect(ends.get(name)).resolves.toBeUndefined());
});

describeGuards(() => environment);
describeCalls(() => environment);
