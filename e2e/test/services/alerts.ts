import { setTimeout as sleep } from 'node:timers/promises';
import { ALERTS, type AlertCode } from '@causeway/protocol/admin';
import { isLong } from '@causeway/test-kit';
import type { Fleet } from '@causeway/testbed/services';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AlertWatch, shortenRules } from './faults/alert-watch.js';
import { Drill } from './faults/drill.js';
import { FAULTS, NOT_INJECTED } from './faults/fault-table.js';
import type { Fault } from './faults/fault.js';
import type { Operations } from './operations.js';
import { Traffic } from './traffic.js';

/** For a fault with all its alerts: each may take minutes on a busy machine. */
const FAULT_MS = 900_000;
const MINUTE_MS = 60_000;
/** An hour at night; the jobs that have less time say how long. */
const QUIET_MINUTES = Number(process.env['QUIET_MINUTES'] ?? 60);
const IN_FLIGHT = 3;
const REQUESTS_PER_SECOND = 20;
const LOOK_MS = 1_000;
const independent = FAULTS.filter(({ isIndependent }) => isIndependent);
const others = FAULTS.filter(({ isIndependent }) => !isIndependent);

/** Normal traffic with the alert rules as they are: no alert fires. */
export function describeQuiet(getFleet: () => Fleet, getOperations: () => Operations): void {
  if (!isLong) return;
  describe(`normal traffic for ${QUIET_MINUTES} minutes`, () => {
    it(
      'raises no alert',
      async () => {
        const [fleet, operations] = [getFleet(), getOperations()];
        const watch = new AlertWatch(fleet.monitoring);
        const isOver = new AbortController();
        await operations.keepInFlight(IN_FLIGHT, isOver.signal);
        const traffic = new Traffic(await new Drill(fleet, operations).requests(), REQUESTS_PER_SECOND);
        const fired = new Set<AlertCode>();
        const endMs = Date.now() + QUIET_MINUTES * MINUTE_MS;
        for (; Date.now() < endMs; await sleep(LOOK_MS)) for (const code of await watch.list()) fired.add(code);
        isOver.abort();
        const requests = await traffic.stop();
        process.stderr.write(`${requests} requests, ${operations.sent.length} operations so far\n`);
        expect([...fired]).toEqual([]);
        expect(traffic.failures).toEqual([]);
      },
      QUIET_MINUTES * MINUTE_MS + FAULT_MS,
    );
  });
}

/**
 * Faults on the running services, by which alerts fire in Alertmanager and are over after the steps of the runbook.
 * Prometheus has the rules with durations of a thirtieth.
 */
export function describeAlerts(getFleet: () => Fleet, getOperations: () => Operations): void {
  describe('the alerts', () => {
    beforeAll(async () => getFleet().monitoring.useRules(shortenRules(getFleet().monitoring.rules)));
    afterAll(async () => getFleet().monitoring.useRules(getFleet().monitoring.rules));

    const pass = async (fault: Fault) => injectAndRepair(new Drill(getFleet(), getOperations()), fault);

    it('have a fault each, or a reason why not', () => {
      const listed = [...FAULTS.flatMap(({ alerts }) => alerts), ...Object.keys(NOT_INJECTED)];
      expect(listed.toSorted()).toEqual(Object.keys(ALERTS).toSorted());
    });

    it(
      `fire and are over, side by side: ${independent.flatMap(({ alerts }) => alerts).join(', ')}`,
      async () => {
        const passed = await Promise.allSettled(independent.map(pass));
        expect(passed).toEqual(independent.map(() => ({ status: 'fulfilled', value: [] })));
      },
      FAULT_MS,
    );

    if (isLong)
      it.each(others.map((fault) => [fault.alerts.join(', '), fault.name, fault] as const))(
        '%s: fire when %s, and are over after its cure',
        async (_, __, fault) => expect(await pass(fault)).toEqual([]),
        FAULT_MS,
      );
  });
}

/** Returns a sentence for each command of the runbook that cannot be run. */
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
