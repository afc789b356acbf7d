import { randomUUID } from 'node:crypto';
import { FenceLostError, type Fence, type Store } from '@causeway/store';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Logger } from 'pino';
import type { Configuration } from '../config/configuration.js';
import { CONFIGURATION, LOGGER, STORE } from '../world/tokens.js';
import type { Stage } from './stage.js';

/** The lease is named for the pipeline, so that the API can tell whether any relayer runs. */
const LEASE = 'relayer';

export const STAGES = Symbol('Stages');

/**
 * Runs every stage again and again while this process holds the lease. A run of a stage never overlaps with the one
 * before it; a failed run is logged and the stage is tried again at its next turn, since what it left undone is still in
 * the rows. Another relayer, started on the same database, stands by until the lease ends.
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
    const turn = () => {
      if (this.running.has(name)) return;
      const done = run()
        .catch((error: unknown) => this.report(name, error))
        .finally(() => this.running.delete(name));
      this.running.set(name, done);
    };
    this.registry.addInterval(name, setInterval(turn, pauseMs));
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
    this.logger.error({ stage, err: error }, 'a stage failed and is tried again');
  }
}
