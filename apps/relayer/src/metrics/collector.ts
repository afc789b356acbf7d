import type { Mirror } from '@causeway/chain';
import type { Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { eachChain, type BridgeChains } from '../bridge-chain.js';
import { CHAINS, LOGGER, MIRROR, STORE } from '../infrastructure.js';
import { ReconcileGate } from '../pipeline/reconcile-gate.js';
import { StageScheduler } from '../pipeline/scheduler.js';
import { RelayerMetrics } from './relayer-metrics.js';

/** Reads the figures of the database, the nodes and the scheduler at every scrape. */
@Injectable()
export class MetricsCollector {
  private readonly gauges;

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(MIRROR) private readonly mirror: Pick<Mirror, 'status'> | null,
    @Inject(STORE) private readonly store: Pick<Store, 'scan' | 'halts' | 'queues'>,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly scheduler: StageScheduler,
    private readonly gate: ReconcileGate,
    metrics: RelayerMetrics,
  ) {
    this.gauges = createGauges(metrics);
  }

  async collect(): Promise<void> {
    this.readScheduler();
    this.readNodes();
    try {
      await Promise.all([this.readProgress(), this.readHalts(), this.readQueues(), this.readTransactions()]);
      this.gauges.databaseUp.set(1);
    } catch (error) {
      this.gauges.databaseUp.set(0);
      this.logger.warn({ err: error }, 'the database does not answer; its metrics keep their last values');
    }
  }

  private readScheduler(): void {
    const { isActive, stages } = this.scheduler.status();
    this.gauges.leaseHeld.set(isActive ? 1 : 0);
    this.gauges.reconciling.set(this.gate.waitsFor === null ? 0 : 1);
    for (const counter of [this.gauges.stageRuns, this.gauges.stageFailures]) counter.reset();
    for (const { name: stage, runs, failures, durationMs } of stages) {
      this.gauges.stageRuns.inc({ stage }, runs);
      this.gauges.stageFailures.inc({ stage }, failures);
      if (durationMs !== null) this.gauges.stageSeconds.set({ stage }, durationMs / 1_000);
    }
  }

  private readNodes(): void {
    const { nodeUsable, nodeLag, nodeLatency, nodeThrottled } = this.gauges;
    for (const figure of [nodeUsable, nodeLag, nodeLatency, nodeThrottled]) figure.reset();
    for (const { side: chain, connection } of eachChain(this.chains)) {
      this.gauges.quorum.set({ chain }, connection.quorum);
      for (const { name: node, usable, lagBlocks, latencyMs, throttled } of connection.status()) {
        nodeUsable.set({ chain, node }, usable ? 1 : 0);
        if (lagBlocks !== null) nodeLag.set({ chain, node }, lagBlocks);
        if (latencyMs !== null) nodeLatency.set({ chain, node }, latencyMs / 1_000);
        nodeThrottled.inc({ chain, node }, throttled);
      }
    }
    // A mirror can have the same address as a node.
    for (const { name: node, throttled } of this.mirror?.status() ?? [])
      nodeThrottled.inc({ chain: 'partner', node }, throttled);
  }

  private async readProgress(): Promise<void> {
    for (const { side: chain, chainId } of eachChain(this.chains)) {
      const progress = await this.store.scan.progress(chainId);
      if (progress === null) continue;
      this.gauges.cursorAge.set({ chain }, progress.ageMs / 1_000);
      this.gauges.blocksBehind.set({ chain }, progress.blocksBehind);
      this.gauges.blockAhead.set({ chain }, progress.aheadMs / 1_000);
    }
  }

  private async readHalts(): Promise<void> {
    const halted = new Set((await this.store.halts.list()).map(({ chainId }) => chainId));
    for (const { side, chainId } of eachChain(this.chains))
      this.gauges.halted.set({ what: side }, halted.has(chainId) ? 1 : 0);
    this.gauges.halted.set({ what: 'deliveries' }, (await this.store.halts.deliveries()) === null ? 0 : 1);
  }

  private async readQueues(): Promise<void> {
    const queues = await this.store.queues.depths();
    for (const gauge of [this.gauges.queueOperations, this.gauges.queueOldest, this.gauges.queueAttempts])
      gauge.reset();
    for (const { stage, reason, operations, oldestSeconds, attempts } of queues) {
      const labels = { stage, reason: reason ?? 'none' };
      this.gauges.queueOperations.set(labels, operations);
      this.gauges.queueOldest.set(labels, oldestSeconds);
      this.gauges.queueAttempts.set(labels, attempts);
    }
  }

  private async readTransactions(): Promise<void> {
    const pending = await this.store.queues.transactions();
    for (const { side: chain, chainId } of eachChain(this.chains)) {
      const found = pending.find((each) => each.chainId === chainId);
      this.gauges.pendingTransactions.set({ chain }, found?.count ?? 0);
      this.gauges.pendingReplacements.set({ chain }, found?.replacements ?? 0);
      this.gauges.pendingOldest.set({ chain }, found?.oldestSeconds ?? 0);
    }
  }
}

function createGauges(metrics: RelayerMetrics) {
  const queue = ['stage', 'reason'] as const;
  const node = ['chain', 'node'] as const;
  return {
    leaseHeld: metrics.gauge('lease_held', '1 if this process is the active relayer, 0 if it is passive'),
    reconciling: metrics.gauge('reconciling', '1 while this relayer waits for `relayer reconcile`, else 0'),
    databaseUp: metrics.gauge('database_up', '1 if the database answered, else 0'),
    stageRuns: metrics.counter('stage_runs_total', 'Runs of a stage since the start', ['stage']),
    stageFailures: metrics.counter('stage_failures_total', 'Failed runs of a stage since the start', ['stage']),
    stageSeconds: metrics.gauge('stage_seconds', 'How long the last run of a stage took', ['stage']),
    quorum: metrics.gauge('quorum', 'Nodes of a chain that must agree', ['chain']),
    nodeUsable: metrics.gauge('node_usable', '1 if the node is used, else 0', node),
    nodeLag: metrics.gauge('node_lag_blocks', 'Blocks that a node is behind the head of the quorum', node),
    nodeLatency: metrics.gauge('node_latency_seconds', 'How long the last answer of a node took', node),
    nodeThrottled: metrics.counter(
      'node_throttled_total',
      'Requests that a node or a mirror refused because of its rate limit',
      node,
    ),
    cursorAge: metrics.gauge('cursor_age_seconds', 'Time since the last progress in reading a chain', ['chain']),
    blocksBehind: metrics.gauge('blocks_behind', 'Blocks of a chain that are not read yet', ['chain']),
    blockAhead: metrics.gauge(
      'block_ahead_seconds',
      "How far the newest block's time is ahead of the database's; 0 if it is not",
      ['chain'],
    ),
    halted: metrics.gauge('halted', '1 while the chain or the deliveries are halted, else 0', ['what']),
    queueOperations: metrics.gauge('queue_operations', 'Operations by the stage and reason they wait for', queue),
    queueOldest: metrics.gauge(
      'queue_oldest_seconds',
      'How long the oldest of these operations has been in its stage',
      queue,
    ),
    queueAttempts: metrics.gauge('queue_attempts', 'Highest number of attempts of one of these operations', queue),
    pendingTransactions: metrics.gauge('pending_transactions', 'Signed transactions that are not final', ['chain']),
    pendingReplacements: metrics.gauge('pending_replacements', 'Replacements of the pending transactions', ['chain']),
    pendingOldest: metrics.gauge('pending_oldest_seconds', 'Time since the oldest pending transaction was signed', [
      'chain',
    ]),
  };
}
