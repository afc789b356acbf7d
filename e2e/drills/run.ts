import { attesterRecordLost } from './attester-record-lost.ts';
import { badRelease } from './bad-release.ts';
import type { DrillName } from './command.ts';
import { databaseLost } from './database-lost.ts';
import { Lack, type Drill, type Outcome, type Row } from './drill.ts';
import { fullDisk } from './full-disk.ts';
import { olderBackup } from './older-backup.ts';
import { relayerHostLost } from './relayer-host-lost.ts';
import { formerPrimary, promotedReplica } from './replicas.ts';

const GOAL_MINUTES = 30;
const DRILLS: Readonly<Record<DrillName, Drill>> = {
  'database-lost': databaseLost,
  'older-backup': olderBackup,
  'promoted-replica': promotedReplica,
  'former-primary': formerPrimary,
  'relayer-host-lost': relayerHostLost,
  'attester-record-lost': attesterRecordLost,
  'bad-release': badRelease,
  'full-disk': fullDisk,
};

/** Runs a drill to its end, and returns its line. */
export async function runDrill(drill: DrillName, seed: number, print: (line: string) => void): Promise<Row> {
  const { goal, run } = DRILLS[drill];
  const row = { drill, goal, goalMinutes: GOAL_MINUTES };
  print(`${drill} --seed ${seed}`);
  const outcome = await run({ seed, print }).catch((error: unknown): Outcome | Lack => {
    if (error instanceof Lack) return error;
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { dataLost: 'unknown', minutes: Number.NaN, problems: [problem] };
  });
  if (outcome instanceof Lack) {
    print(`${drill} is skipped: ${outcome.message}`);
    return { ...row, result: 'skipped', dataLost: '-', minutes: '-', problems: [] };
  }
  const late = outcome.minutes > GOAL_MINUTES ? [`It took ${outcome.minutes} minutes`] : [];
  const problems = [...outcome.problems, ...late];
  const result = problems.length === 0 ? 'passed' : 'failed';
  return { ...row, result, dataLost: outcome.dataLost, minutes: outcome.minutes.toFixed(1), problems };
}
