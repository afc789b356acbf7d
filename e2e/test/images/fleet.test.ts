import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startFleet, THIS_RELEASE_IN_IMAGES, type Fleet } from '@causeway/testbed/services';
import { Operations } from '../services/operations.js';
import { listRootOptions, listUsers, readProcess } from './unpacked-images.js';

// The whole bridge with each service in its image, as `services --try` runs it where buildah is installed.

const USER = 10_001;

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet({ release: THIS_RELEASE_IN_IMAGES, onStep: () => undefined });
});
afterAll(async () => fleet?.stop());

it('delivers a transfer of each asset', async () => {
  const operations = await Operations.prepare(fleet, 1n);
  expect(await operations.findFaults()).toEqual([]);
});

it('runs every service without privileges, on a read-only root', () => {
  for (const { pid } of fleet.services.list) {
    const files = readProcess(pid);
    expect(listUsers(files)).toEqual([USER, USER, USER, USER]);
    expect(listRootOptions(files)).toContain('ro');
  }
});

it('shuts down cleanly at SIGTERM', async () => expect(await fleet.stop()).toEqual([]));
