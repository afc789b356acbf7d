import { roleUrl } from '@causeway/testbed';
import { Bed } from './bed.ts';
import type { Drill } from './drill.ts';
import { Section } from './runbook.ts';

const PAGE = Section.read('runbook.md', 'NoActiveRelayer');
const NAMES = ['relayer-1', 'relayer-2', 'relayer-3'] as const;
const IN_FLIGHT = 8;

/** The active relayer's machine is lost, then that of the relayer that took over. */
export const relayerHostLost: Drill = {
  goal: 'nothing',
  run: async (input) => Bed.under(input, { relayers: NAMES.slice(0, 2) }, loseHosts),
};

async function loseHosts(bed: Bed): Promise<string> {
  const { environment, traffic } = bed;
  const database = await bed.connect(roleUrl(environment.stack.databaseUrl, 'causeway_relayer'));
  /** Waits until one of the relayers is active, and returns its name. */
  const active = async (...names: readonly string[]) =>
    bed.until(`${names.join(' or ')} is active`, async () => {
      const { rows } = await database.query<{ holder: string }>(PAGE.query('FROM lease'));
      return names.find((name) => rows[0]?.holder.startsWith(name));
    });
  await traffic.mix(IN_FLIGHT);
  const first = await active(...NAMES);
  await environment.processes.kill(first);
  bed.lose(`the machine of ${first} is lost`);
  const second = await active(...NAMES.filter((name) => name !== first));
  await traffic.mix(IN_FLIGHT);
  await environment.processes.kill(second);
  bed.say(`the machine of ${second} is lost. ${PAGE.step('Start a relayer')}`);
  // On a new machine, with the settings and the copy of the key.
  environment.startService('relayer', NAMES[2], {});
  await active(NAMES[2]);
  await bed.back();
  return 'nothing';
}
