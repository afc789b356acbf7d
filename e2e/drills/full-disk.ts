import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTables } from '@causeway/testbed';
import { Database } from '../chaos/database.ts';
import { Bed } from './bed.ts';
import { Lack, type Drill, type DrillInput, type Outcome } from './drill.ts';
import { Section } from './runbook.ts';

const PAGE = Section.read('runbook.md', 'DatabaseDown');
const IN_FLIGHT = 8;
const FULL_MS = 10_000;

/** The database's disk is full while operations are in flight. The server stops, and recovers once it has room. */
export const fullDisk: Drill = { goal: 'nothing', run: fillDisk };

async function fillDisk(input: DrillInput): Promise<Outcome> {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-disk-'));
  const database = await Database.start(directory);
  try {
    if (!database.canFillDisk) throw new Lack('it mounts a small disk, which needs root or sudo without a password');
    return await Bed.under(
      input,
      {},
      async (bed) => {
        await bed.traffic.mix(IN_FLIGHT);
        bed.lose("the database's disk is full");
        await Promise.all([database.fillDisk(FULL_MS, true), bed.traffic.mix(IN_FLIGHT, 'on chain')]);
        bed.say('the disk has room again');
        const over = PAGE.block('relayer doctor');
        const API = new URL(bed.environment.stack.apiUrl).origin;
        const output = await bed.until('the commands of the page report no problem', async () =>
          bed.shell(over, { API }),
        );
        await bed.check('the end by the page', () => assert.match(output, /ok\s+database/));
        await bed.back();
        return 'nothing';
      },
      async (environment) => {
        await makeTables(database.url);
        await environment.useDatabase(database.url);
        await environment.restartRelayer();
      },
    );
  } finally {
    await database.stop();
    rmSync(directory, { recursive: true });
  }
}
