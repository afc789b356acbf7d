import { afterAll, beforeAll } from '@jest/globals';
import { User } from '@causeway/testbed';
import { seed, waitUntil } from '@causeway/test-kit';
import { describeCommandLine } from './sdk/command-line.js';
import { describeCalls } from './sdk/calls.js';
import { describeFlows } from './sdk/flows.js';
import { describeGuards } from './sdk/guards.js';
import { describeHandovers } from './sdk/handovers.js';
import { describeKills } from './sdk/kills.js';
import { bridgeForBob } from './sdk/users.js';
import { temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

// The packages that partners install, on one bridge.

const isLong = process.env['LONG_TESTS'] === '1';
let environment: TestEnvironment;

beforeAll(async () => {
  environment = await temporaryEnvironment();
  const bob = new User(environment, environment.accounts.bob);
  const isDelivered = async (hash: `0x${string}`) => (await bob.status(hash))?.status === 'COMPLETED';
  await bridgeForBob(environment, async (hash) => waitUntil('a deposit of Bob arrives', async () => isDelivered(hash)));
});
afterAll(async () => environment?.stop());

describeFlows(() => environment);
describeGuards(() => environment);
describeKills(() => environment, seed(), isLong ? 500 : 20);
describeCommandLine(() => environment);
describeHandovers(() => environment, seed(), isLong ? 6 : 1);
describeCalls(() => environment);
