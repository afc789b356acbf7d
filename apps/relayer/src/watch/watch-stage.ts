import type { Fence, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { BridgeChains } from '../bridge-chain.js';
import { CHAINS, CLOCK, STORE, type Clock } from '../infrastructure.js';
import { RelayerMetrics } from '../metrics/relayer-metrics.js';
import { forEachParallel } from '../pipeline/for-each.js';
import type { Stage } from '../pipeline/scheduler.js';
import { DeliveryWatch } from './delivery-watch.js';
import { SolvencyWatch } from './solvency-watch.js';
import { WalletGauges } from './wallet-gauges.js';

/** Shortest pause between two runs that found nothing to do. In traffic, other stages wake this one constantly. */
const PAUSE_MS = 500;

/**
 * Watches the bridge beside the pipeline: unknown deliveries and solvency. The parts run concurrently, so that a
 * failing node delays none of the others.
 */
@Injectable()
export class WatchStage implements Stage {
  readonly name = 'watch';
  /** The newest partner block when the nodes were last read; null after a failure. */
  private lastHash: string | null = null;
  private isBusy = false;
  private nextAtMs = 0;

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly deliveries: DeliveryWatch,
    private readonly solvency: SolvencyWatch,
    private readonly gauges: WalletGauges,
    private readonly metrics: RelayerMetrics,
  ) {}

  /** @returns whether it judged deliveries. */
  async run(fence: Fence): Promise<boolean> {
    if (!this.isBusy && this.clock.now() < this.nextAtMs) return false;
    this.nextAtMs = this.clock.now() + PAUSE_MS;
    let hasJudged = false;
    const parts: readonly (() => Promise<void>)[] = [
      async () => {
        hasJudged = await this.deliveries.run(fence);
      },
      () => this.readNodes(fence),
      () => this.gauges.run(),
    ];
    await forEachParallel(parts, (part) => part());
    this.isBusy = hasJudged;
    return hasJudged;
  }

  /** Solvency changes only with a block, so the nodes are read once for each. */
  private async readNodes(fence: Fence): Promise<void> {
    const unexplained = await this.store.audits.unexplained();
    this.metrics.unexplainedDifferences.set(unexplained.length);
    const newest = await this.store.scan.latestBlock(this.chains.partner.chainId);
    if (newest === null || newest.hash === this.lastHash) return;
    this.lastHash = null;
    await this.solvency.run(fence);
    this.lastHash = newest.hash;
  }
}
