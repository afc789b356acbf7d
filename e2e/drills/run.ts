import type { DrillName } from './command.ts';
import { databaseLost } from './database-lost.ts';
import type { Drill, Outcome, Row } from './drill.ts';

const GOAL_MINUTES = 30;
const DRILLS: Readonly<Record<DrillName, Drill>> = {
  'database-lost': databaseLost,
};

/** Runs a drill to its end, and returns its line. */
export async function runDrill(drill: DrillName, seed: number, print: (line: string) => void): Promise<Row> {
  const { goal, findLack, run } = DRILLS[drill];
  const row = { drill, goal, goalMinutes: GOAL_MINUTES };
  const lack = findLack?.() ?? null;
  if (lack !== null) {
    print(`${drill} is skipped: ${lack}`);
    return { ...row, result: 'skipped', dataLost: '-', minutes: '-', problems: [] };
  }
  print(`${drill} --seed ${seed}`);
  const outcome = await run({ seed, print }).catch((error: unknown): Outcome => {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { dataLost: 'unknown', minutes: Number.NaN, problems: [problem] };
  });
  const late = outcome.minutes > GOAL_MINUTES ? [`It took ${outcome.minutes} minutes`] : [];
  const problems = [...outcome.problems, ...late];
  const result = problems.length === 0 ? 'passed' : 'failed';
  return { ...row, result, dataLost: outcome.dataLost, minutes: outcome.minutes.toFixed(1), problems };
}
