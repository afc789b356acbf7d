import type { NodeStatus, SyncState } from '../backend.js';
import type { HealthCheck } from './health-check.js';

/** All nodes, and the order in which they are asked. */
export class NodePool {
  private current: number | null = null;

  constructor(
    readonly checks: readonly HealthCheck[],
    private readonly maxLag: number,
  ) {}

  /** Lists the usable nodes, the preferred one first. */
  usable(): readonly HealthCheck[] {
    const candidates = this.checks.map(({ health, isFailing }) => ({
      head: health.problem === null && health.header !== null ? Number(health.header.number) : null,
      syncing: health.syncing !== false,
      failing: isFailing,
      latencyMs: health.latencyMs ?? Number.MAX_SAFE_INTEGER,
    }));
    const order = orderNodes(candidates, this.current, this.maxLag);
    this.current = order[0] ?? this.current;
    return order.flatMap((index) => this.checks[index] ?? []);
  }

  /** The node that receives all calls, or null. */
  preferred(): HealthCheck | null {
    return this.usable()[0] ?? null;
  }

  /** False if a node can be used; else the progress of the most advanced syncing node. */
  syncing(): SyncState {
    if (this.preferred() !== null) return false;
    const states = this.checks.flatMap(({ health }) =>
      health.problem === null && health.syncing !== false ? [health.syncing] : [],
    );
    return states.toSorted((a, b) => Number(b.currentBlock) - Number(a.currentBlock))[0] ?? false;
  }

  statuses(): NodeStatus[] {
    const usable = new Set(this.usable());
    return this.checks.map((check) => {
      const { header, latencyMs, problem, syncing } = check.health;
      const lagging = syncing === false ? 'is too far behind' : 'is catching up';
      return {
        name: check.node.name,
        healthy: usable.has(check),
        blockNumber: header === null ? null : Number(header.number),
        latencyMs,
        problem: problem ?? (usable.has(check) ? null : lagging),
      };
    });
  }
}

export interface NodeCandidate {
  /** Null when the node must not be used. */
  readonly head: number | null;
  readonly syncing: boolean;
  readonly failing: boolean;
  readonly latencyMs: number;
}

/**
 * Orders the indexes of the usable nodes, best first.
 *
 * All clients share the first node until it fails or falls behind. A node shows a write immediately, other nodes a
 * moment later. With calls spread over nodes, a client could miss its own transaction or see the chain go back.
 *
 * @param current the present first node, or null.
 * @param maxLag nodes more than this many blocks behind the best are excluded, as are syncing nodes.
 */
export function orderNodes(nodes: readonly NodeCandidate[], current: number | null, maxLag: number): number[] {
  const able = nodes.flatMap((node, index) =>
    node.head === null || node.syncing ? [] : [{ ...node, index, head: node.head }],
  );
  const best = Math.max(...able.map(({ head }) => head));
  return able
    .filter(({ head }) => best - head <= maxLag)
    .toSorted(
      (a, b) =>
        Number(a.failing) - Number(b.failing) ||
        Number(b.index === current) - Number(a.index === current) ||
        b.head - a.head ||
        a.latencyMs - b.latencyMs ||
        a.index - b.index,
    )
    .map(({ index }) => index);
}
