import { readRelease } from '../../configuration/release.js';
import { collectDefaultMetrics, Counter, Gauge, type Registry } from 'prom-client';
import { logOutput } from '../log.js';
import type { HealthChecks } from './health.js';

interface DescribedService {
  readonly service: string;
  readonly registry: Registry;
  readonly health: HealthChecks;
}

/** Creates the gauge of this machine's clock difference to the service's reference clock. */
export function createClockGauge(registry: Registry, collect: (gauge: Gauge) => void | Promise<void>): Gauge {
  const gauge: Gauge = new Gauge({
    name: 'causeway_clock_offset_seconds',
    help: "This machine's clock minus the database server's, or minus the time of the newest blocks on arrival",
    registers: [registry],
    collect: async () => collect(gauge),
  });
  return gauge;
}

/**
 * Adds the metrics of every service: memory, event loop, garbage collection, version, lost log lines, and readiness.
 */
export function describeProcess({ service, registry, health }: DescribedService): void {
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'causeway_build_info',
    help: 'Always 1; the labels name the running version',
    labelNames: ['service', 'version', 'commit'],
    registers: [registry],
  }).set({ service, ...readRelease() }, 1);
  const dropped = new Counter({
    name: 'causeway_log_lines_dropped_total',
    help: 'Log lines that could not be written',
    registers: [registry],
    collect: () => {
      dropped.reset();
      dropped.inc(logOutput.dropped);
    },
  });
  const ready = new Gauge({
    name: 'causeway_ready',
    help: '1 if the process is ready for work, otherwise 0, as /health/ready',
    labelNames: ['service'],
    registers: [registry],
    collect: async () => {
      ready.set({ service }, (await health.ready()).status === 'healthy' ? 1 : 0);
    },
  });
}
