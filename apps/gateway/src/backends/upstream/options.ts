import type { Hex } from 'viem';

/** Options of the upstream backend. `completeOptions` has the defaults of everything but the nodes and the chain. */
export interface UpstreamOptions {
  /** JSON-RPC addresses (http or https), one or more. Credentials in them are used and never shown. */
  readonly urls: readonly string[];
  /** The chain every node must be on (EIP-155). A node of another chain gets no calls. */
  readonly chainId: number;
  /** The hash of block 0. With null, the first node that answers a health check decides. */
  readonly genesisHash?: Hex | null;
  /** Pause between two health checks of a node, in milliseconds. */
  readonly pollIntervalMs?: number;
  /** Timeout of a call to one node, in milliseconds. After it the next node is asked. */
  readonly timeoutMs?: number;
  /** A node that is more than this many blocks behind the best one is not used. */
  readonly maxLagBlocks?: number;
  /** Confirmations after which a block is final (the bridge's). The block itself counts as the first. */
  readonly confirmations?: number;
  /** Calls in one batch to a node, at most. */
  readonly maxBatchCalls?: number;
  /** The longest answer that is read from a node, in bytes. */
  readonly maxResponseBytes?: number;
  /** Receives changes of the nodes' health. */
  readonly logger?: { info(message: string): void; warn(message: string): void };
  /** A monotonic clock, in milliseconds. */
  readonly clock?: () => number;
  /** The time of this machine, in epoch milliseconds. */
  readonly now?: () => number;
}

/** Fills in the defaults. */
export function completeOptions(options: UpstreamOptions): Required<UpstreamOptions> {
  return {
    genesisHash: null,
    pollIntervalMs: 300,
    timeoutMs: 5_000,
    maxLagBlocks: 3,
    confirmations: 6,
    maxBatchCalls: 100,
    maxResponseBytes: 64 * 1024 * 1024,
    logger: { info: () => undefined, warn: () => undefined },
    clock: () => performance.now(),
    now: Date.now,
    ...options,
  };
}
