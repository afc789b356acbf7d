import { randomUUID } from 'node:crypto';
import { listAssets, type Side } from '@causeway/protocol';
import { FenceLostError, type Fence, type Store, type WakeUpListener } from '@causeway/store';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { eachChain, type BridgeChain } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CLOCK, CONFIGURATION, LOGGER, STORE, TRACING, type Clock } from '../infrastructure.js';
import type { StageTracing } from '../stage-tracing.js';
import { ReconcileGate } from './reconcile-gate.js';
import { StageRunner, type StageStatus } from './stage-runner.js';

/** Injection token of the stages, in pipeline order. */
export const STAGES = Symbol('Stages');

/**
 * One stage of the pipeline. A stage reads rows, does its work and writes rows. It never calls another stage, so that a
 * crash between two stages loses nothing.
 */
export interface Stage {
  readonly name: string;
  /**
   * Runs the stage once. The scheduler runs it again after a pause, so it need not finish everything.
   *
   * @param fence fencing token of the lease, which every write of the stage carries.
   * @returns true when it wrote: the stages in `WAKES` and this stage then run immediately.
   */
  run(fence: Fence): Promise<boolean | void>;
  /** Called once. Lets the stage request a run when something outside the database has changed. */
  onWake?(wake: () => void): void;
}

/** The state of the scheduler, for metrics. */
export interface SchedulerStatus {
  readonly isActive: boolean;
  /** Renewals of the lease and attempts to take it. */
  readonly lease: StageStatus;
  /** In pipeline order. */
  readonly stages: readonly (StageStatus & { readonly name: string })[];
}

/** Name of the lease. The API uses it to check whether any relayer is active. */
export const LEASE = 'relayer';
/** A lease survives five failed renewals. A passive relayer tries to take it at the same rate. */
const RENEWALS_PER_LEASE = 6;
/** A new head can complete the quorum for blocks that were already read, so it also wakes `finalize`. */
const WOKEN_BY_HEAD: Readonly<Record<Side, ReadonlySet<string>>> = {
  ethereum: new Set(['observe-ethereum', 'finalize']),
  partner: new Set(['observe-partner', 'finalize']),
};
const WOKEN_BY_INTENTS: ReadonlySet<string> = new Set(['bind', 'attest']);
/** The stages that a stage's writes give work to. The timers are the fallback. */
const WAKES: Readonly<Record<string, ReadonlySet<string>>> = {
  'observe-ethereum': new Set([
    'account',
    'attest',
    'finalize',
    'hold',
    'deliver',
    'follow',
    'settle',
    'refund',
    'watch',
  ]),
  'observe-partner': new Set([
    'account',
    'bind',
    'attest',
    'finalize',
    'hold',
    'deliver',
    'follow',
    'settle',
    'refund',
    'watch',
  ]),
  account: new Set(['bind', 'refund']),
  bind: new Set(['attest', 'finalize']),
  finalize: new Set(['attest', 'hold', 'deliver', 'sweep']),
  hold: new Set(['deliver']),
  // An intent may have failed.
  deliver: new Set(['refund']),
  // An unpaid delivery is due again, and the next retirement, sweep or refund can begin.
  follow: new Set(['deliver', 'retire', 'sweep', 'refund']),
  settle: new Set(['attest', 'retire', 'watch']),
};
const NONE: ReadonlySet<string> = new Set();

interface SchedulerStore extends Pick<Store, 'assertCompatible'> {
  listen(...listeners: Parameters<Store['listen']>): Pick<WakeUpListener, 'stop'>;
  readonly lease: Pick<Store['lease'], 'acquire' | 'assertHeld' | 'release'>;
}

interface AnnouncingChain extends Pick<BridgeChain, 'side'> {
  readonly connection: Pick<BridgeChain['connection'], 'onHead'>;
}

/**
 * Runs the stages while this process holds the lease. A stage that wrote wakes itself and the stages in `WAKES`. New
 * heads and other processes' writes also wake stages, with timers as the fallback. A failed run is logged and retried
 * by the next one, since unfinished work stays in the database. A second relayer on the same database is passive.
 */
@Injectable()
export class StageScheduler implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Name, process and a random part, so that a restarted relayer does not share its earlier lease. */
  private readonly holder: string;
  private readonly lease: StageRunner;
  private readonly runners: readonly { readonly name: string; readonly runner: StageRunner }[];
  private fence: Fence | null = null;
  private isAsking = false;
  private listener: Pick<WakeUpListener, 'stop'> | null = null;
  private endHeads: readonly (() => void)[] = [];

  constructor(
    @Inject(STAGES) stages: readonly Stage[],
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'name' | 'leaseMs' | 'pollMs'>,
    @Inject(CHAINS) private readonly chains: Readonly<Record<Side, AnnouncingChain>>,
    @Inject(STORE) private readonly store: SchedulerStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(TRACING) private readonly tracing: StageTracing | null,
    private readonly registry: SchedulerRegistry,
    @Inject(ReconcileGate) private readonly gate: Pick<ReconcileGate, 'isClosed' | 'mayWork' | 'isBlind' | 'waitsFor'>,
  ) {
    this.holder = [configuration.name, process.pid, randomUUID()].join(':');
    this.lease = this.makeRunner('lease', () => this.renewLease());
    this.runners = stages.map((stage) => {
      const runner = this.makeRunner(
        stage.name,
        () => this.runStage(stage),
        () => this.wakeOnly(WAKES[stage.name] ?? NONE),
      );
      stage.onWake?.(() => runner.wake());
      return { name: stage.name, runner };
    });
  }

  /** Never fails because of an unavailable database or node: the runs retry. */
  onApplicationBootstrap(): void {
    this.every('lease', this.configuration.leaseMs / RENEWALS_PER_LEASE, this.lease);
    for (const { name, runner } of this.runners) this.every(name, this.configuration.pollMs, runner);
    this.listener = this.store.listen(
      (wakeUp) => {
        if (wakeUp === 'intents') this.wakeOnly(WOKEN_BY_INTENTS);
        else if (wakeUp === 'lease') this.lease.wake();
        else this.wakeAll();
      },
      (error) => this.logger.warn({ err: error }, 'the database connection for notifications broke; reconnecting'),
    );
    this.endHeads = eachChain(this.chains).map(({ connection, side }) =>
      connection.onHead(() => this.wakeOnly(WOKEN_BY_HEAD[side])),
    );
    this.lease.wake();
  }

  async onApplicationShutdown(): Promise<void> {
    for (const name of this.registry.getIntervals()) this.registry.deleteInterval(name);
    for (const end of this.endHeads) end();
    await Promise.all([this.listener?.stop(), this.lease.stop(), ...this.runners.map(({ runner }) => runner.stop())]);
    if (this.fence !== null) await this.store.lease.release(this.fence);
  }

  /** Whether this process is active, and the status of its stages. */
  status(): SchedulerStatus {
    const stages = this.runners.map(({ name, runner }) => ({ name, ...runner.status() }));
    return { isActive: this.fence !== null, lease: this.lease.status(), stages };
  }

  private makeRunner(name: string, run: () => Promise<boolean>, onWrote: () => void = () => undefined): StageRunner {
    return new StageRunner({
      run,
      onWrote,
      onFailure: (error) => this.report(name, error),
      onBounded: () =>
        this.logger.warn({ stage: name }, 'the stage reports writes endlessly; it now runs only on its timer'),
      now: () => this.clock.now(),
    });
  }

  private every(name: string, pauseMs: number, runner: StageRunner): void {
    this.registry.addInterval(
      name,
      setInterval(() => runner.tick(), pauseMs),
    );
  }

  private wakeAll(): void {
    for (const { runner } of this.runners) runner.wake();
  }

  private wakeOnly(names: ReadonlySet<string>): void {
    for (const { name, runner } of this.runners) if (names.has(name)) runner.wake();
  }

  private async renewLease(): Promise<boolean> {
    const { fence } = this;
    if (fence === null) await this.takeLease();
    else if ((await this.acquire())?.token !== fence.token) {
      this.fence = null;
      this.logger.warn('another relayer took the lease, or another server answers; this relayer is passive');
      this.lease.wake();
    } else if (this.gate.waitsFor !== null) {
      this.fence = null;
      await this.store.lease.release(fence);
    } else this.askAgain(fence);
    return false;
  }

  /** Asks the gate again after nodes were away. The lease does not wait for it: nodes can take longer than it lasts. */
  private askAgain(fence: Fence): void {
    if (!this.gate.isBlind || this.isAsking) return;
    this.isAsking = true;
    this.gate
      .mayWork(fence)
      .catch((error: unknown) => this.report('lease', error))
      .finally(() => (this.isAsking = false));
  }

  private async takeLease(): Promise<void> {
    // A newer program may have upgraded the database while this one was passive.
    await this.store.assertCompatible(listAssets());
    if (await this.gate.isClosed()) return;
    const taken = await this.acquire();
    if (taken === null) return;
    if (!(await this.gate.mayWork(taken))) return this.store.lease.release(taken);
    // The nodes may have taken longer than the lease lasts.
    this.store.lease.assertHeld(taken);
    this.fence = taken;
    this.logger.info({ token: taken.token.toString() }, 'this relayer is active');
    this.wakeAll();
  }

  private async acquire(): Promise<Fence | null> {
    return this.store.lease.acquire(LEASE, this.holder, this.configuration.leaseMs);
  }

  private async runStage(stage: Stage): Promise<boolean> {
    const { fence } = this;
    if (fence === null) return false;
    this.store.lease.assertHeld(fence);
    const run = async () => (await stage.run(fence)) === true;
    return this.tracing === null ? run() : this.tracing.traceRun(stage.name, run);
  }

  private report(stage: string, error: unknown): void {
    // After a renewal in the meantime, the fence in use is another one.
    if (error instanceof FenceLostError && error.fence.token === this.fence?.token) {
      this.fence = null;
      this.lease.wake();
    }
    this.logger.error({ stage, err: error }, 'the stage failed; the next run retries');
  }
}
