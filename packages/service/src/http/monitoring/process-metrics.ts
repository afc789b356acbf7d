import { readRelease } from '../../configuration/release.js';
import { collectDefaultMetrics, Counter, Gauge, type Registry } from 'prom-client';
import { logOutput } from '../log.js';
import type { HealthChecks } from './health.js';

interface DescribedService {
  readonly service: string;
  readonly registry: Registry;
  readonly health: HealthChecks;
}

/** Creates the figure of this machine's clock against another one, of which every service knows one. */
export function createClockGauge(registry: Registry, collect: (gauge: Gauge) => void | Promise<void>): Gauge {
  const gauge: Gauge = new Gauge({
    name: 'causeway_clock_offset_seconds',
    help: "This machine's clock less that of the database server, or less the time of the newest blocks when they came",
    registers: [registry],
    collect: async () => collect(gauge),
  });
  return gauge;
}

/**
 * Adds the figures that every service has: memory, event loop and garbage collection of the process, its version, the
 * lines that its log lost, and whether it is ready.
 */
export function describeProcess({ service, registry, health }: DescribedService): void {
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'causeway_build_info',
    help: 'Always 1; the labels say what runs',
    labelNames: ['service', 'version', 'commit'],
    registers: [registry],
  }).set({ service, ...readRelease() }, 1);
  const dropped = new Counter({
    name: 'causeway_log_lines_dropped_total',
    help: 'Lines of the log that could not be written',
    registers: [registry],
    collect: () => {
      dropped.reset();
      dropped.inc(logOutput.dropped);
    },
  });
  const ready = new Gauge({
    name: 'causeway_ready',
    help: '1 if work should come to this process, else 0, as /health/ready says',
    labelNames: ['service'],
    registers: [registry],
    collect: async () => {
      ready.set({ service }, (await health.ready()).status === 'healthy' ? 1 : 0);
    },
  });
}
