import type { RpcHeader, SyncState } from '../backend.js';

/** What the last look at a node found. */
export interface NodeHealth {
  /** Null when the node can be used; else what is wrong, in a few words without addresses. */
  readonly problem: string | null;
  /** The node's head at the last look that succeeded. */
  readonly header: RpcHeader | null;
  readonly syncing: SyncState;
  /** How long the last look took, in milliseconds. */
  readonly latencyMs: number | null;
}
