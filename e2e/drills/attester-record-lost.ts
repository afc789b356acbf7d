import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bed } from './bed.ts';
import type { Drill } from './drill.ts';
import { Section } from './runbook.ts';

const PAGE = Section.read('runbook.md', 'AttesterLost');
const WRONG_CONFIGURATION = 78;
const IN_FLIGHT = 8;

/** One attester's machine is lost with its record, another's record is damaged; two of three must sign. */
export const attesterRecordLost: Drill = {
  goal: 'nothing',
  run: async (input) => Bed.under(input, { attesters: 3, threshold: 2 }, loseRecords),
};

async function loseRecords(bed: Bed): Promise<string> {
  const { environment, traffic } = bed;
  const { processes } = environment;
  await traffic.mix(IN_FLIGHT);
  await traffic.untilEnded();
  const variables = readVariables(processes.list().find(({ name }) => name === 'attester-2')?.pid ?? 0);
  for (const name of ['attester-1', 'attester-2', 'attester-3']) await processes.kill(name);
  bed.lose('one machine is lost, one record is lost and one is damaged');
  rmSync(findFolder(bed, 'attester-1'), { recursive: true });
  const record = join(findFolder(bed, 'attester-2'), 'record');
  const lines = readFileSync(record, 'utf8').split('\n');
  writeFileSync(record, [lines[0]?.slice(1), ...lines.slice(1)].join('\n'));
  await traffic.mix(IN_FLIGHT);

  bed.say(PAGE.step('The machine is gone'));
  await environment.startAttester('attester-1');
  await bed.check('a damaged record is refused', async () => {
    const { code, output } = await bed.try('attester', variables);
    assert.equal(code, WRONG_CONFIGURATION);
    assert.ok(output.includes('damaged record, in line 1'), output);
  });
  const output = await bed.run(PAGE, 'attester recover', '', variables);
  await bed.check('the intact lines are kept', () => assert.match(output, /has [1-9]\d* intact entries/));
  await environment.startAttester('attester-2');
  await bed.back();
  return 'nothing';
}

function findFolder({ directory }: Bed, name: string): string {
  return join(directory, 'state', 'attesters', name);
}

/** The environment of a running process. */
function readVariables(pid: number): Readonly<Record<string, string>> {
  // Without the channel to its parent.
  const lines = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .filter((line) => /^(?!NODE_CHANNEL).+/.test(line));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
