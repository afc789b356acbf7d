import { isLong } from '@causeway/test-kit';
import type { Fleet } from '@causeway/testbed/services';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AlertWatch, shortenRules } from './faults/alert-watch.js';
import { Drill } from './faults/drill.js';
import { FAULTS } from './faults/fault-table.js';
import type { Fault } from './faults/fault.js';
import type { Operations } from './operations.js';

/** Timeout of a fault with all its alerts, each of which can take minutes on a busy machine. */
const FAULT_MS = 900_000;
const independent = FAULTS.filter(({ isIndependent }) => isIndependent);
const others = FAULTS.filter(({ isIndependent }) => !isIndependent);

/**
 * Faults on running services that make alerts fire in Alertmanager, and clear after the runbook's steps. Prometheus has
 * the rules with durations divided by thirty.
 */
export function describeAlerts(getFleet: () => Fleet, getOperations: () => Operations): void {
  describe('the alerts', () => {
    beforeAll(async () => getFleet().monitoring.useRules(shortenRules(getFleet().monitoring.rules)));
    afterAll(async () => getFleet().monitoring.useRules(getFleet().monitoring.rules));

    const pass = async (fault: Fault) => injectAndRepair(new Drill(getFleet(), getOperations()), fault);

    it(
      `fire and clear in parallel: ${independent.flatMap(({ alerts }) => alerts).join(', ')}`,
      async () => {
        const passed = await Promise.allSettled(independent.map(pass));
        expect(passed).toEqual(independent.map(() => ({ status: 'fulfilled', value: [] })));
      },
      FAULT_MS,
    );

    if (isLong)
      it.each(others.map((fault) => [fault.alerts.join(', '), fault.name, fault] as const))(
        '%s: fire when %s, and clear after the repair',
        async (_, __, fault) => expect(await pass(fault)).toEqual([]),
        FAULT_MS,
      );
  });
}

/** Injects and repairs a fault. Returns a sentence for each runbook command that cannot be run. */
async function injectAndRepair(drill: Drill, { name, alerts, inject }: Fault): Promise<string[]> {
  const watch = new AlertWatch(drill.fleet.monitoring);
  await watch.untilCleared(alerts);
  const startedAtMs = performance.now();
  const report = (what: string) => {
    const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
    process.stderr.write(`${seconds.padStart(6)} s  ${alerts.join(', ')}: ${what}\n`);
  };
  const repair = await inject(drill);
  report(name);
  const faults: string[] = [];
  try {
    await watch.untilFiring(alerts);
    report('firing');
    for (const code of alerts) faults.push(...(await drill.runHeading(code)));
  } finally {
    await repair();
  }
  report('cured');
  await watch.untilCleared(alerts);
  report('over');
  return faults;
}
