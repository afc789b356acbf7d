import type { NodeStatus, SyncState } from '../backend.js';
import { chooseNodes } from './choose-nodes.js';
import type { NodeMonitor } from './node-monitor.js';

/** All nodes, and which of them are asked. */
export class NodeSet {
  private current: number | null = null;
  private order: readonly NodeMonitor[] = [];
  private orderedAt = Number.NEGATIVE_INFINITY;

  constructor(
    readonly monitors: readonly NodeMonitor[],
    private readonly maxLag: number,
    private readonly clock: () => number,
  ) {}

  /** The nodes that may be asked, the one that all calls go to first. Empty when none can be used. */
  usable(): readonly NodeMonitor[] {
    const now = this.clock();
    // Every call asks. What the order rests on changes when a node is looked at or fails, and when distrust ends: then a millisecond is soon enough.
    if (now - this.orderedAt < 1 && this.monitors.every((monitor) => monitor.changedAt < this.orderedAt)) {
      return this.order;
    }
    const standings = this.monitors.map(({ health, distrusted }) => ({
      head: health.problem === null && health.header !== null ? Number(health.header.number) : null,
      syncing: health.syncing !== false,
      distrusted,
      latencyMs: health.latencyMs ?? Number.MAX_SAFE_INTEGER,
    }));
    const order = chooseNodes(standings, this.current, this.maxLag);
    this.current = order[0] ?? this.current;
    this.order = order.flatMap((index) => this.monitors[index] ?? []);
    this.orderedAt = now;
    return this.order;
  }

  /** The node that all calls go to, or null. */
  first(): NodeMonitor | null {
    return this.usable()[0] ?? null;
  }

  /** False as soon as one node can be used; else how far the furthest that is catching up has come. */
  syncing(): SyncState {
    if (this.first() !== null) return false;
    const states = this.monitors.flatMap(({ health }) =>
      health.problem === null && health.syncing !== false ? [health.syncing] : [],
    );
    return states.toSorted((a, b) => Number(b.currentBlock) - Number(a.currentBlock))[0] ?? false;
  }

  statuses(): NodeStatus[] {
    const usable = new Set(this.usable());
    return this.monitors.map((monitor) => {
      const { header, latencyMs, problem, syncing } = monitor.health;
      const standing = syncing === false ? 'is too far behind' : 'is catching up';
      return {
        name: monitor.node.name,
        healthy: usable.has(monitor),
        blockNumber: header === null ? null : Number(header.number),
        latencyMs,
        problem: problem ?? (usable.has(monitor) ? null : standing),
      };
    });
  }
}
