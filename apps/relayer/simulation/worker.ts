import { parentPort, workerData } from 'node:worker_threads';
import { substituteModules } from './substitutions.ts';
import type { Ended, Range } from './run-many.ts';

// Runs schedules one after the other and posts each result. Stops after the first failure.

const { seed, count, plant } = workerData as Range;
substituteModules(plant);
const { planSchedule } = await import('./environment/schedule.ts');
const { runSchedule } = await import('./run-schedule.ts');
const { SimulatedServer } = await import('./database/simulated-server.ts');
const server = await SimulatedServer.open();

for (let index = 0; index < count; index++) {
  const { schedule, violation, story, judgements } = await runSchedule(planSchedule(seed + index), server);
  const failure = violation === null ? null : { schedule, violation, story };
  parentPort?.postMessage({ judgements, failure } satisfies Ended, []);
  if (violation !== null) break;
}
await server.close();
