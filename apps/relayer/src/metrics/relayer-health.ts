import {
  describePart,
  probe,
  reportHealth,
  type ComponentHealth,
  type HealthChecks,
  type HealthReport,
} from '@causeway/service/http';
import type { Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Configuration } from '../configuration.js';
import { CLOCK, CONFIGURATION, STORE, type Clock } from '../infrastructure.js';
import { ReconcileGate } from '../pipeline/reconcile-gate.js';
import { StageScheduler, type SchedulerStatus } from '../pipeline/scheduler.js';

/** The longest allowed times between two runs, in milliseconds. */
interface RunLimits {
  readonly lease: number;
  readonly stage: number;
}

const MINUTE_MS = 60_000;
/** With slow nodes a run of a stage takes a minute. A run that takes a quarter of an hour has hung. */
const HUNG: RunLimits = { lease: MINUTE_MS, stage: 15 * MINUTE_MS };
const LATE: RunLimits = { lease: MINUTE_MS, stage: 2 * MINUTE_MS };
/** Lease durations without an answer until the state of the lease is unknown. Each has six attempts. */
const LEASES_KNOWN = 2;
/** Polls that a stage can miss, since the stages run on timers. */
const POLLS = 10;

/**
 * Whether the relayer works. Active and passive relayers are both ready; one that waits for a reconciliation is not.
 * Unavailable nodes do not count: a restart would not help, and alerts name them.
 */
@Injectable()
export class RelayerHealth implements HealthChecks {
  private readonly startedAtMs: number;

  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'pollMs' | 'leaseMs'>,
    @Inject(STORE) private readonly store: Pick<Store, 'assertCompatible' | 'ping'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(StageScheduler) private readonly scheduler: Pick<StageScheduler, 'status'>,
    @Inject(ReconcileGate) private readonly gate: Pick<ReconcileGate, 'waitsFor'>,
  ) {
    this.startedAtMs = clock.now();
  }

  live(): HealthReport {
    return reportHealth({ scheduler: this.judge(HUNG) });
  }

  async ready(): Promise<HealthReport> {
    const database = await probe(async () => {
      await this.store.assertCompatible();
      return this.store.ping();
    });
    const reconciled = describePart(this.gate.waitsFor);
    return reportHealth({ database, lease: this.judgeLease(), scheduler: this.judge(LATE), reconciled });
  }

  private judge({ lease, stage }: RunLimits): ComponentHealth {
    const { pollMs, leaseMs } = this.configuration;
    const limits = { lease: Math.max(lease, leaseMs), stage: Math.max(stage, POLLS * pollMs) };
    const late = findLate(this.scheduler.status(), this.startedAtMs, this.clock.now(), limits);
    return describePart(late.length === 0 ? null : `${late.join(', ')} did not run recently`);
  }

  /** Known means that the last renewal or attempt reached the database. */
  private judgeLease(): ComponentHealth {
    const { succeededAtMs } = this.scheduler.status().lease;
    const isKnown =
      succeededAtMs !== null && this.clock.now() - succeededAtMs <= LEASES_KNOWN * this.configuration.leaseMs;
    return { connected: isKnown, latencyMs: null };
  }
}

/**
 * Names the lease and the stages whose last run began too long ago. Before the first run, the time counts from the
 * start.
 */
function findLate(
  { lease, stages }: SchedulerStatus,
  startedAtMs: number,
  nowMs: number,
  limits: RunLimits,
): readonly string[] {
  const isLate = (began: number | null, limit: number) => nowMs - (began ?? startedAtMs) > limit;
  return [
    ...(isLate(lease.startedAtMs, limits.lease) ? ['lease'] : []),
    ...stages.filter((stage) => isLate(stage.startedAtMs, limits.stage)).map(({ name }) => name),
  ];
}
