import { parentPort, workerData } from 'node:worker_threads';
import { substituteModules } from './substitutions.ts';
import type { Range } from './run-many.ts';

// Runs some schedules, one after the other, and sends how each ended. The first that fails is the last.

const { seed, count, plant } = workerData as Range;
substituteModules(plant);
const { planSchedule } = await import('./environment/schedule.ts');
const { runSchedule } = await import('./run-schedule.ts');
const { SimulatedServer } = await import('./database/simulated-server.ts');
const server = await SimulatedServer.open();

for (let index = 0; index < count; index++) {
  const { schedule, violation, story } = await runSchedule(planSchedule(seed + index), server);
  parentPort?.postMessage(violation === null ? null : { schedule, violation, story }, []);
  if (violation !== null) break;
}
await server.close();
