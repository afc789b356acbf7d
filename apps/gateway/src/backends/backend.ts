import type { Hex } from 'viem';

/** A block header as `newHeads` delivers it, with the fields of `eth_getBlockBy*`. Quantities are 0x-hex. */
export interface RpcHeader {
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly number: Hex;
  readonly timestamp: Hex;
  readonly [field: string]: unknown;
}

/** The chain has a new canonical head. */
export interface HeadEvent {
  /** Heads arrive in order, one event a block; after a reorg the new branch's blocks follow one by one. */
  readonly header: RpcHeader;
  /** Headers that ceased to be canonical just before this block, newest first; empty unless there was a reorg. */
  readonly removed: readonly RpcHeader[];
}

/** `false`, or the progress of a node that is still catching up (eth_syncing). */
export type SyncState = false | { readonly startingBlock: Hex; readonly currentBlock: Hex; readonly highestBlock: Hex };

/** Receives the events of a backend, in order. A listener must not throw. */
export interface BackendListener {
  onHead(event: HeadEvent): void;
  onPendingTransaction(hash: Hex): void;
  onSyncing(state: SyncState): void;
}

/** One node behind the gateway, for /health and partner_getNodeInfo. */
export interface NodeStatus {
  /** Name or address, without credentials. */
  readonly name: string;
  readonly healthy: boolean;
  readonly blockNumber: number | null;
  readonly latencyMs: number | null;
  readonly problem: string | null;
}

export interface BackendStatus {
  readonly kind: 'embedded' | 'upstream';
  readonly available: boolean;
  readonly syncing: SyncState;
  readonly blockNumber: number | null;
  readonly nodes: readonly NodeStatus[];
}

/** Calls checked, run and encoded on another thread, because params and results can be megabytes. */
export interface WholeCalls {
  has(method: string): boolean;
  /**
   * @param params as sent by the client.
   * @returns the JSON text of the result.
   * @throws RpcError with the code of the specification for the cause.
   */
  answer(method: string, params: unknown, client: string): Promise<string>;
}

/** The part of a backend that methods use. */
export type Requests = Pick<Backend, 'request'>;

/** The chain behind the gateway: the embedded partner chain, or real nodes. It receives calls with checked params. */
export interface Backend {
  /** Extra gas for each account that a transaction creates. Default: the specification's value. */
  readonly lazyAccountGas?: bigint;
  /**
   * Answers one call with the value for `result`, in the JSON shape of the Ethereum JSON-RPC.
   *
   * @param client address by which clients share scarce resources fairly; omitted for the gateway's own calls.
   * @throws RpcError with the code of the specification for the cause.
   */
  request(method: string, params: readonly unknown[], client?: string): Promise<unknown>;
  /** Omitted by a backend without such calls. */
  readonly wholeCalls?: WholeCalls;
  /** Listens to the chain until the returned function is called. */
  listen(listener: BackendListener): () => void;
  status(): BackendStatus;
  /** This machine's clock less the time of the chain, in milliseconds; null while unknown. Omitted: the same clock. */
  clockOffsetMs?(): number | null;
  /** Releases all resources. Pending requests are answered or rejected first. */
  close(): Promise<void>;
}
