import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seed } from '@causeway/test-kit';
import { startFleet, THIS_RELEASE, type Fleet, type Release } from '@causeway/testbed/services';
import { Random } from '../../chaos/random.ts';
import { Operations } from '../services/operations.js';
import { buildPreviousRelease, type PreviousRelease } from '../services/previous-release.js';
import { underTraffic } from '../services/under-traffic.js';

// Upgrades from the previous release to this one, back, and again, under traffic.

const ADMIN = fileURLToPath(import.meta.resolve('@causeway/admin-cli/main'));
const IN_FLIGHT = 200;
const MINUTE_MS = 60_000;
const SEED = seed();

let previous: PreviousRelease;
let fleet: Fleet;
let operations: Operations;
const random = new Random(SEED, 'releases');

beforeAll(async () => {
  previous = await buildPreviousRelease();
  fleet = await startFleet({ release: previous.release, onStep: () => undefined });
  operations = await Operations.prepare(fleet);
}, 30 * MINUTE_MS);
afterAll(async () => {
  await fleet?.stop();
  await previous?.remove();
});

/** Runs a command of this release on the database. */
async function runAdmin(...words: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: fleet.database.superuserUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [ADMIN, ...words], { env });
  process.stderr.write(stdout);
  return stdout;
}

/** Replaces every service one by one in random order, and returns the requests that failed. */
async function roll(release: Release, before: () => Promise<void> = async () => Promise.resolve()): Promise<string[]> {
  const startedAt = performance.now();
  const order = random.shuffle(fleet.listReplaceable());
  const { failures, sent } = await underTraffic(fleet, operations, IN_FLIGHT, async () => {
    await before();
    for (const name of order) await fleet.replace(name, release);
  });
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  process.stderr.write(
    `${order.join(', ')}: ${seconds} s, ${sent} requests, ${operations.sent.length} operations so far\n`,
  );
  return failures;
}

describe(`a release after another one (seed ${SEED})`, () => {
  it(
    'fails no request during the upgrade',
    async () => {
      const failures = await roll(THIS_RELEASE, async () => {
        expect(await runAdmin('upgrade', '--check', '--api', `${fleet.apiUrl}/api/v1`)).toContain('0 errors');
        await runAdmin('migrate', 'apply');
      });
      expect(failures).toEqual([]);
    },
    20 * MINUTE_MS,
  );

  it(
    'fails no request during the downgrade',
    async () => expect(await roll(previous.release)).toEqual([]),
    20 * MINUTE_MS,
  );

  it(
    'fails no request during the second upgrade',
    async () => expect(await roll(THIS_RELEASE)).toEqual([]),
    20 * MINUTE_MS,
  );

  it(
    'has delivered every operation once, to the unit',
    async () => expect(await operations.findFaults()).toEqual([]),
    20 * MINUTE_MS,
  );
});
