import type { Hex } from 'viem';

/** What the upstream backend needs to know. Everything but the nodes and the chain has a default in `completeOptions`. */
export interface UpstreamOptions {
  /** JSON-RPC addresses (http or https), one or more. Credentials in them are used and never shown. */
  readonly urls: readonly string[];
  /** The chain every node must be on (EIP-155). A node of another chain is never asked anything. */
  readonly chainId: number;
  /** The hash of block 0, or null: then what the first node shows decides. */
  readonly genesisHash?: Hex | null;
  /** Pause between two looks at a node's head, in milliseconds. */
  readonly pollIntervalMs?: number;
  /** How long a health check may take, in milliseconds. */
  readonly probeTimeoutMs?: number;
  /** How long one node may take to answer, in milliseconds; then the next one is asked. */
  readonly timeoutMs?: number;
  /** The same for logs and traces, which take a node longer. */
  readonly heavyTimeoutMs?: number;
  /** A node that is more than this many blocks behind the best one is not used. */
  readonly maxLagBlocks?: number;
  /** Confirmations after which a block is final (the bridge's); its own block counts as the first. What is below does not change any more. */
  readonly confirmations?: number;
  /** How long a node must insist on a lower head than the known one before it is believed, in milliseconds. */
  readonly retreatPatienceMs?: number;
  /** Calls in one batch to a node, at most. */
  readonly maxBatchCalls?: number;
  /** The longest answer that is read from a node, in bytes. */
  readonly maxResponseBytes?: number;
  /** Room for immutable results, in bytes of JSON. */
  readonly cacheBytes?: number;
  /** Logs in one answer of eth_getLogs, at most. */
  readonly maxLogs?: number;
  /** Where changes of the nodes' health are told. */
  readonly logger?: { info(message: string): void; warn(message: string): void };
  /** A clock that never goes back, in milliseconds. */
  readonly clock?: () => number;
}
