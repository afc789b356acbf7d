import { MIGRATIONS, migrate } from '@causeway/store/schema';
import { isLong } from '@causeway/test-kit';
import { THIS_RELEASE, type Fleet } from '@causeway/testbed/services';
import { describe, expect, it } from '@jest/globals';
import { Random } from '../../chaos/random.ts';
import { EXPANSION } from '../../drills/expansion.ts';
import type { Operations } from './operations.js';
import { underTraffic } from './under-traffic.js';

const IN_FLIGHT = 20;
const ROUNDS = isLong ? 4 : 1;
const MINUTE_MS = 60_000;

/** Applies the next schema under current programs, restarts each on it, and rolls back. */
export function describeUpgrade(getFleet: () => Fleet, getOperations: () => Operations, seed: number): void {
  describe(`an upgrade of the schema under traffic (seed ${seed})`, () => {
    it(
      'fails no request while each service restarts after SIGTERM',
      async () => {
        const fleet = getFleet();
        const random = new Random(seed, 'upgrade');
        const { failures } = await underTraffic(fleet, getOperations(), IN_FLIGHT, async () => {
          const applied = await migrate(fleet.database.superuserUrl, { migrations: [...MIGRATIONS, ...EXPANSION] });
          expect(applied).toEqual(EXPANSION.map(({ name }) => name));
          for (let round = 0; round < ROUNDS; round += 1)
            for (const names of groupByMachine(random.shuffle(fleet.listReplaceable())))
              await Promise.all(names.map(async (name) => fleet.replace(name, THIS_RELEASE)));
        });
        expect(failures).toEqual([]);
        // Includes the operations that were in flight.
        expect(await getOperations().findFaults()).toEqual([]);
      },
      5 * MINUTE_MS * ROUNDS,
    );
  });
}

/** Each machine has one service of each kind and is upgraded as a whole. */
function groupByMachine(names: readonly string[]): readonly (readonly string[])[] {
  const kinds = [...Map.groupBy(names, (name) => name.split('-')[0]).values()];
  const machines = Math.max(...kinds.map(({ length }) => length));
  return Array.from({ length: machines }, (_, index) => kinds.flatMap((kind) => kind[index] ?? []));
}
