import { randomUUID } from 'node:crypto';
import { FenceLostError, type Fence, type Store } from '@causeway/store';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION, LOGGER, STORE } from '../infrastructure.js';

/** Injection token of the stages, in pipeline order. */
export const STAGES = Symbol('Stages');

/**
 * One stage of the pipeline. A stage reads rows, does its part and writes rows. It never calls another stage, so that a
 * crash between two stages loses nothing.
 */
export interface Stage {
  /** Name in the log. */
  readonly name: string;
  /**
   * Runs the stage once. The scheduler repeats it after a pause, so it need not finish everything.
   *
   * @param fence token of the lease; every write of the stage carries it.
   */
  run(fence: Fence): Promise<void>;
}

/** Name of the lease. The API uses it to check whether any relayer is active. */
const LEASE = 'relayer';

/**
 * Runs every stage repeatedly while this process holds the lease. Runs of one stage never overlap. A failed run is
 * logged, and the next run retries: unfinished work is still in the rows. A second relayer on the same database stands
 * by until the lease expires.
 */
@Injectable()
export class StageScheduler implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly holder = randomUUID();
  private readonly running = new Map<string, Promise<void>>();
  private fence: Fence | null = null;

  constructor(
    @Inject(STAGES) private readonly stages: readonly Stage[],
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(STORE) private readonly store: Store,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly registry: SchedulerRegistry,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.renewLease();
    this.every('lease', this.configuration.leaseMs / 3, () => this.renewLease());
    for (const stage of this.stages) this.every(stage.name, this.configuration.pollMs, () => this.runStage(stage));
  }

  async onApplicationShutdown(): Promise<void> {
    for (const name of this.registry.getIntervals()) this.registry.deleteInterval(name);
    await Promise.allSettled(this.running.values());
    if (this.fence !== null) await this.store.lease.release(this.fence);
  }

  private every(name: string, pauseMs: number, run: () => Promise<void>): void {
    const runUnlessRunning = () => {
      if (this.running.has(name)) return;
      const done = run()
        .catch((error: unknown) => this.report(name, error))
        .finally(() => this.running.delete(name));
      this.running.set(name, done);
    };
    this.registry.addInterval(name, setInterval(runUnlessRunning, pauseMs));
  }

  private async renewLease(): Promise<void> {
    const fence = await this.store.lease.acquire(LEASE, this.holder, this.configuration.leaseMs);
    if (fence !== null && this.fence === null)
      this.logger.info({ token: fence.token.toString() }, 'this relayer is active');
    if (fence === null && this.fence !== null) this.logger.warn('another relayer took the lease; standing by');
    this.fence = fence;
  }

  private async runStage(stage: Stage): Promise<void> {
    if (this.fence !== null) await stage.run(this.fence);
  }

  private report(stage: string, error: unknown): void {
    if (error instanceof FenceLostError) this.fence = null;
    this.logger.error({ stage, err: error }, 'the stage failed; the next run retries');
  }
}
