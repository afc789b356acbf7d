import { parentPort, workerData } from 'node:worker_threads';
import { runSchedule } from './run-schedule.ts';
import { planSchedule } from './world/schedule.ts';

// Runs every n-th schedule until one fails. Sends that one, or null.

const { from, until, step, plant } = workerData as {
  readonly from: number;
  readonly until: number;
  readonly step: number;
  readonly plant: string | null;
};
let failure = null;
for (let seed = from; seed < until && failure === null; seed += step) {
  const outcome = await runSchedule(planSchedule(seed), plant);
  if (outcome.violation !== null) failure = outcome;
}
parentPort?.postMessage(failure);
