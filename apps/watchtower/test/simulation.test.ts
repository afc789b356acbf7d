import { describe, expect, it } from '@jest/globals';
import { isLong, seed } from '@causeway/test-kit';
import { FORGERIES } from './simulation/forgeries.js';
import { runHonestHour, runTheft } from './simulation/hour.js';

const FIRST = seed();
const HOURS = isLong ? 500 : 5;
/** Seeds for each kind of theft. */
const THEFTS = isLong ? 20 : 1;
const ALL = Object.keys(FORGERIES);
/** By day every third kind, from one that the seed chooses. */
const KINDS = isLong ? ALL : ALL.filter((_, index) => index % 3 === FIRST % 3);

describe('a watchtower in simulated hours', () => {
  it(`never pauses an honest bridge (TEST_SEED=${FIRST})`, async () => {
    const alarms = new Map<string, number>();
    let turns = 0;
    const paused: string[] = [];
    for (let hour = FIRST; hour < FIRST + HOURS; hour += 1) {
      const outcome = await runHonestHour(hour);
      turns += outcome.turns;
      for (const [kind, count] of outcome.alarms) alarms.set(kind, (alarms.get(kind) ?? 0) + count);
      paused.push(...outcome.pauses.map((side) => `${side} in hour ${hour}`));
    }
    const counts = [...alarms].map(([kind, count]) => `${count} of ${kind}`).join(', ');
    process.stdout.write(`${HOURS} honest hours, ${turns} turns: ${paused.length} pauses; alarms: ${counts}\n`);
    expect(paused).toEqual([]);
    expect(turns).toBeGreaterThan(100 * HOURS);
  }, 7_200_000);

  it.each(KINDS)(
    'pauses both chains within two blocks after %s',
    async (name) => {
      for (let hour = FIRST; hour < FIRST + THEFTS; hour += 1) {
        const { ethereum, partner } = await runTheft(hour, name);
        expect({ hour, isInTime: ethereum <= 2 && partner <= 2, ethereum, partner }).toMatchObject({
          hour,
          isInTime: true,
        });
      }
    },
    600_000,
  );
});
