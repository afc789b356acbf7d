import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS, migrate } from '@causeway/store/schema';
import { roleUrl } from '@causeway/testbed';
import { Bed } from './bed.ts';
import type { Drill } from './drill.ts';
import { EXPANSION } from './expansion.ts';
import { Section } from './runbook.ts';

const BEFORE = Section.read('operate/upgrade.md', 'Before');
const BACK = Section.read('operate/upgrade.md', 'Back');
const IN_FLIGHT = 8;
/** A defect that shows only after the start. */
const DEFECT = `setTimeout(() => { throw new Error('a defect of the new release'); }, 4_000);`;

/** A release whose relayer ends again and again, on tables that it expanded; the programs go back. */
export const badRelease: Drill = {
  goal: 'nothing',
  run: async (input) => Bed.under(input, {}, goBack),
};

async function goBack(bed: Bed): Promise<string> {
  const { environment, traffic, directory } = bed;
  const owner = { DATABASE_URL: roleUrl(environment.stack.databaseUrl, 'causeway_owner') };
  await traffic.mix(IN_FLIGHT);
  await bed.runBlock(BEFORE, 'causeway-admin upgrade --check', owner);
  await migrate(owner.DATABASE_URL, { migrations: [...MIGRATIONS, ...EXPANSION] });
  const defect = join(directory, 'defect.mjs');
  writeFileSync(defect, DEFECT);
  bed.lose('the new release ends soon after each start');
  await environment.restartRelayer({ NODE_OPTIONS: `--import=${defect}` });
  const isRunning = () => environment.processes.list().some(({ name }) => name === 'relayer');
  await traffic.mix(IN_FLIGHT);
  await bed.until('its relayer has ended', () => !isRunning());

  const output = await bed.run(BACK, 'causeway-admin upgrade --check', '', owner);
  await bed.check('the older release serves the tables', () => assert.ok(output.includes('0 errors'), output));
  await environment.restartApi();
  await environment.restartRelayer();
  await bed.back();
  const owned = await bed.connect(owner.DATABASE_URL);
  await bed.check('the tables stay', async () => void (await owned.query('SELECT note FROM operation LIMIT 1')));
  return 'nothing';
}
