import { afterAll, beforeAll, describe } from '@jest/globals';
import { seed } from '@causeway/test-kit';
import { startFleet, type Fleet } from '@causeway/testbed/services';
import { describeAlerts } from './services/alerts.js';
import { describeDrain } from './services/drain.js';
import { describeLoad } from './services/load.js';
import { Operations } from './services/operations.js';
import { describeUpgrade } from './services/upgrade.js';

// The bridge as services on several machines, each process under its own user.

let fleet: Fleet;
let operations: Operations;

beforeAll(async () => {
  fleet = await startFleet({ onStep: (step) => process.stderr.write(`${new Date().toISOString()} ${step}\n`) });
});
afterAll(async () => fleet?.stop());

describeLoad(() => fleet);

describe('with operations in flight', () => {
  // After the load, whose wallets are the same.
  beforeAll(async () => {
    operations = await Operations.prepare(fleet);
  });

  describeDrain(
    () => fleet,
    () => operations,
  );
  describeUpgrade(
    () => fleet,
    () => operations,
    seed(),
  );
  describeAlerts(
    () => fleet,
    () => operations,
  );
});
