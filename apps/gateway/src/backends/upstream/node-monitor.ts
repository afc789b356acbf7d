import { Distrust } from './distrust.js';
import type { GenesisPin } from './genesis-pin.js';
import type { JsonRpcNode } from './json-rpc-node.js';
import type { NodeFailure } from './node-failure.js';
import type { NodeHealth } from './node-health.js';
import { probeNode } from './probe-node.js';
import type { UpstreamOptions } from './upstream-options.js';

/** Looks at one node again and again, and hears how its calls go. */
export class NodeMonitor {
  private current: NodeHealth = { problem: 'was not looked at yet', header: null, syncing: false, latencyMs: null };
  private readonly distrust: Distrust;
  private readonly done: Promise<void>;
  private begin: () => void = () => undefined;
  private wake: () => void = () => undefined;
  private changed = Number.NEGATIVE_INFINITY;
  private hurry = false;
  private closed = false;

  constructor(
    readonly node: JsonRpcNode,
    private readonly options: Required<UpstreamOptions>,
    private readonly genesis: GenesisPin,
    /** Called after every look; the next one waits for it. Must not reject. */
    private readonly looked: (monitor: NodeMonitor) => Promise<void>,
  ) {
    this.distrust = new Distrust(options.clock);
    const begun = new Promise<void>((resolve) => {
      this.begin = resolve;
    });
    this.done = begun.then(() => this.watch());
  }

  /** When what is known of it changed last, by the options' clock. */
  get changedAt(): number {
    return this.changed;
  }

  get health(): NodeHealth {
    return this.current;
  }

  /** Whether calls to it failed lately. */
  get distrusted(): boolean {
    return this.distrust.active;
  }

  /** Looks once. */
  async look(): Promise<void> {
    const { genesis } = this;
    const { chainId, probeTimeoutMs: timeoutMs, clock } = this.options;
    const before = this.current;
    const health = await probeNode(this.node, before, { chainId, genesis, timeoutMs, clock });
    if (this.closed) return;
    this.current = health;
    this.changed = clock();
    if (health.problem !== null) this.node.giveUp(health.problem);
    this.tell(before.problem, health.problem);
    await this.looked(this);
  }

  /** Begins to look in intervals. */
  start(): void {
    this.begin();
  }

  /** Looks now rather than at the end of the interval. */
  nudge(): void {
    this.hurry = true;
    this.wake();
  }

  callFailed(failure: NodeFailure): void {
    this.distrust.failed(failure);
    this.changed = this.options.clock();
    this.nudge();
  }

  callAnswered(): void {
    this.distrust.answered();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.nudge();
    this.begin();
    await this.node.close();
    await this.done;
  }

  private async watch(): Promise<void> {
    while (!this.closed) {
      await this.pause();
      if (!this.closed) await this.look();
    }
  }

  private async pause(): Promise<void> {
    if (!this.hurry) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.options.pollIntervalMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.hurry = false;
  }

  private tell(before: string | null, now: string | null): void {
    if (before === now) return;
    const { logger } = this.options;
    if (now === null) logger.info(`Node ${this.node.name} can be used`);
    else logger.warn(`Node ${this.node.name} is not used: ${now}`);
  }
}
