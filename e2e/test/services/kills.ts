import { isLong } from '@causeway/test-kit';
import type { Fleet } from '@causeway/testbed/services';
import { describe, expect, it } from '@jest/globals';
import { Random } from '../../chaos/random.ts';
import type { Operations } from './operations.js';
import { prepareRequests } from './requests.js';
import { Traffic } from './traffic.js';
import { REQUESTS_PER_SECOND } from './upgrade.js';

const IN_FLIGHT = 20;
const ROUNDS = isLong ? 5 : 1;
/** Both relayers: one of them holds the lease. */
const KILLED = ['api-2', 'relayer-1', 'gateway-1', 'relayer-2'] as const;

/** SIGKILL of each kind of service under traffic. */
export function describeKills(getFleet: () => Fleet, getOperations: () => Operations, seed: number): void {
  describe(`services killed with SIGKILL (seed ${seed})`, () => {
    it('lose and double nothing, and every request is answered again after', async () => {
      const [fleet, operations] = [getFleet(), getOperations()];
      const requests = await prepareRequests(fleet, operations.firstTxHash);
      const isOver = new AbortController();
      await operations.keepInFlight(IN_FLIGHT, isOver.signal);
      // The requests that a killed process had may fail.
      const during = new Traffic(requests, REQUESTS_PER_SECOND);
      try {
        const next = new Random(seed, 'kills').dealer(KILLED);
        for (let count = 0; count < ROUNDS * KILLED.length; count += 1) await fleet.killAndRestart(next());
      } finally {
        isOver.abort();
        await during.stop();
      }
      const after = new Traffic(requests, REQUESTS_PER_SECOND);
      try {
        expect(await operations.findFaults()).toEqual([]);
      } finally {
        await after.stop();
      }
      expect(after.failures).toEqual([]);
    });
  });
}
