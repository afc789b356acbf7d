import { MIGRATIONS, migrate, toMigrations } from '@causeway/store/schema';
import { isLong } from '@causeway/test-kit';
import { THIS_RELEASE, type Fleet } from '@causeway/testbed/services';
import { describe, expect, it } from '@jest/globals';
import { Random } from '../../chaos/random.ts';
import type { Operations } from './operations.js';
import { prepareRequests } from './requests.js';
import { Traffic } from './traffic.js';

/** Requests a second of all clients. */
export const REQUESTS_PER_SECOND = 500;
const IN_FLIGHT = 20;
const ROUNDS = isLong ? 4 : 1;

/** A migration of the release that follows this one: a table, a column and an index, which no program of today uses. */
const EXPANSION = toMigrations([
  {
    name: '20991231000000_expansion',
    script: `ALTER TABLE operation ADD COLUMN note text;
      CREATE INDEX operation_note ON operation (note) WHERE note IS NOT NULL;
      CREATE TABLE expansion (id bigint PRIMARY KEY);
      INSERT INTO schema_compatibility (migration, oldest_program) VALUES
        ('20991231000000_expansion', '${MIGRATIONS.at(-1)?.name}');`,
  },
]);

/** Every service that can be replaced, in a random order. */
function shuffleServices(fleet: Fleet, random: Random): string[] {
  const names = fleet.listReplaceable();
  const next = random.dealer(names);
  return names.map(() => next());
}

/** The next schema under the programs of today, each of which starts again on it: the way there, and the way back. */
export function describeUpgrade(getFleet: () => Fleet, getOperations: () => Operations, seed: number): void {
  describe(`an upgrade of the schema under ${REQUESTS_PER_SECOND} requests a second (seed ${seed})`, () => {
    it(`fails no request while each service ends by SIGTERM and starts again`, async () => {
      const [fleet, operations] = [getFleet(), getOperations()];
      const requests = await prepareRequests(fleet, operations.firstTxHash);
      const isOver = new AbortController();
      await operations.keepInFlight(IN_FLIGHT, isOver.signal);
      const traffic = new Traffic(requests, REQUESTS_PER_SECOND);
      try {
        const applied = await migrate(fleet.database.superuserUrl, { migrations: [...MIGRATIONS, ...EXPANSION] });
        expect(applied).toEqual(EXPANSION.map(({ name }) => name));
        const random = new Random(seed, 'upgrade');
        for (let round = 0; round < ROUNDS; round += 1)
          for (const name of shuffleServices(fleet, random)) await fleet.replace(name, THIS_RELEASE);
      } finally {
        isOver.abort();
        await traffic.stop();
      }
      expect(traffic.failures).toEqual([]);
    });
  });
}
