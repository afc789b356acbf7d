import { isLong } from '@causeway/test-kit';
import type { Fleet } from '@causeway/testbed/services';
import { describe, expect, it } from '@jest/globals';
import { Random } from '../../chaos/random.ts';
import type { Operations } from './operations.js';
import { underTraffic } from './under-traffic.js';

const IN_FLIGHT = 20;
const ROUNDS = isLong ? 5 : 1;
const MINUTE_MS = 60_000;
/** Side by side. Both relayers, since one of them holds the lease: the other takes over. */
const KILLED = [['api-2', 'gateway-1', 'relayer-1'], ['relayer-2']] as const;

/** SIGKILL of each kind of service under traffic. Judges the operations of the tests before, too. */
export function describeKills(getFleet: () => Fleet, getOperations: () => Operations, seed: number): void {
  describe(`services killed with SIGKILL (seed ${seed})`, () => {
    it(
      'lose and double nothing, and every request is answered again after',
      async () => {
        const [fleet, operations] = [getFleet(), getOperations()];
        const random = new Random(seed, 'kills');
        // The requests that a killed process had may fail.
        await underTraffic(fleet, operations, IN_FLIGHT, async () => {
          for (let round = 0; round < ROUNDS; round += 1)
            for (const names of random.shuffle(KILLED))
              await Promise.all(names.map(async (name) => fleet.killAndRestart(name)));
        });
        const { failures } = await underTraffic(fleet, operations, 1, async () => operations.untilCompleted());
        expect(failures).toEqual([]);
        expect(await operations.findFaults()).toEqual([]);
      },
      5 * MINUTE_MS * ROUNDS,
    );
  });
}
