import type { Hex } from 'viem';

/** A block header as `newHeads` delivers it and `eth_getBlockBy*` spells its fields: quantities as 0x-hex. */
export interface RpcHeader {
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly number: Hex;
  readonly timestamp: Hex;
  readonly [field: string]: unknown;
}

/** The chain has a new canonical head. */
export interface HeadEvent {
  /** The header of the new block. Heads arrive in order, one event a block; after a reorg the new branch's blocks follow one by one. */
  readonly header: RpcHeader;
  /** Headers that ceased to be canonical just before this block, newest first; empty unless there was a reorg. */
  readonly removed: readonly RpcHeader[];
}

/** `false`, or how far a node that is still catching up has come (eth_syncing). */
export type SyncState = false | { readonly startingBlock: Hex; readonly currentBlock: Hex; readonly highestBlock: Hex };

/** What a backend tells its listeners, in order. A listener must not throw. */
export interface BackendListener {
  onHead(event: HeadEvent): void;
  onPendingTransaction(hash: Hex): void;
  onSyncing(state: SyncState): void;
}

/** One node behind the gateway, for /health and partner_getNodeInfo. */
export interface NodeStatus {
  /** Its name or address, without credentials. */
  readonly name: string;
  readonly healthy: boolean;
  readonly blockNumber: number | null;
  readonly latencyMs: number | null;
  readonly problem: string | null;
}

export interface BackendStatus {
  readonly kind: 'embedded' | 'upstream';
  /** Whether requests can be answered at all. */
  readonly available: boolean;
  readonly syncing: SyncState;
  readonly blockNumber: number | null;
  readonly nodes: readonly NodeStatus[];
}

/**
 * What stands behind the gateway: the embedded partner chain, or real nodes.
 *
 * The gateway has checked names and params of a call before it reaches a backend. Filters, subscriptions, limits, `net_listening`,
 * `web3_sha3`, `eth_accounts`, `eth_subscribe` and `eth_unsubscribe` are the gateway's own and never reach it; every other method does.
 */
export interface Backend {
  /** Gas for each account that a transaction brings into being, over its ordinary gas. Left out where that is not known; the specification's is told then. */
  readonly lazyAccountGas?: bigint;
  /**
   * Answers one call with the value for `result`, in the JSON shape of the Ethereum JSON-RPC.
   *
   * @param caller the address of the client for whom it is asked, as the limiter counts it; left out for the gateway's own needs. Callers share fairly what
   *   there is not enough of.
   * @throws RpcError with the code of the specification for the cause.
   */
  request(method: string, params: readonly unknown[], caller?: string): Promise<unknown>;
  /** Listens to the chain until the returned function is called. */
  listen(listener: BackendListener): () => void;
  status(): BackendStatus;
  /** Ends everything the backend began; requests under way are answered or refused first. */
  close(): Promise<void>;
}
