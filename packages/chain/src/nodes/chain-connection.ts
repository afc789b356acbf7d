import type { Hex, PublicClient } from 'viem';

/** One node of a chain. */
export interface ChainNode {
  /** Host and port, without the path and credentials of the URL, which may be API keys. */
  readonly name: string;
  /** Queries only this node. Fails immediately while the node is unusable. */
  readonly client: PublicClient;
}

/** A block whose hash a quorum of nodes agrees on. The other fields follow from the hash. */
export interface AgreedBlock {
  readonly number: bigint;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestampSeconds: bigint;
}

/** The health of a node. */
export interface NodeStatus {
  readonly name: string;
  readonly usable: boolean;
  /** Newest block; null until the node answers. */
  readonly head: bigint | null;
  /** Blocks behind the quorum's head; null until that is known. */
  readonly lagBlocks: number | null;
  /** Response time of its last request for the head. */
  readonly latencyMs: number | null;
  /** Why the node is unusable, for operators. */
  readonly reason: string | null;
  /** Requests that the node rate-limited since startup. */
  readonly throttled: number;
}

/** An event of a node for operators. `message` is a whole sentence without secrets. */
export interface NodeEvent {
  readonly level: 'info' | 'warn' | 'error';
  readonly chain: string;
  /** Null for an event of all nodes. */
  readonly node: string | null;
  readonly message: string;
}

/**
 * A chain over several nodes. No single node is trusted: values that decide about money are read with `agree`,
 * `agreedHead` and `agreedBlock`, which return only equal answers of `quorum` nodes.
 */
export interface ChainConnection {
  readonly name: string;
  readonly chainId: number;
  /** The number of nodes that must agree. */
  readonly quorum: number;
  /**
   * Queries the best usable node, and the next one if it fails or takes longer than a second or two. Only for reads
   * that no money depends on. Sends transactions to every usable node, so that no node can suppress one.
   */
  readonly client: PublicClient;
  /** Usable nodes, best first: in the configured order, then lagging nodes, then nodes with an overdue answer. */
  usable(): readonly ChainNode[];
  /**
   * As `client`, for several requests that the same node must answer. The first result counts.
   *
   * * @throws the error of a node if no node gives a result.
   */
  ask<T>(read: (client: PublicClient) => Promise<T>): Promise<T>;
  /**
   * Queries all usable nodes and returns as soon as `quorum` answers are equal. Reads of state should name a block
   * (`agreedHead`), since nodes reach a new block at different times.
   *
   * @param read queries one node. An exception counts as no answer.
   * @param toKey maps equal answers to the same text. Default: all fields of the answer.
   * @throws QuorumError with the answer of each node.
   */
  agree<T>(read: (client: PublicClient) => Promise<T>, toKey?: (answer: T) => string): Promise<T>;
  /**
   * Reads the highest block that `quorum` nodes have reached.
   *
   * @throws QuorumError
   */
  agreedHead(): Promise<bigint>;
  /**
   * Reads a block that `quorum` nodes have with the same hash.
   *
   * @returns null if they agree that the block does not exist yet.
   * @throws QuorumError
   */
  agreedBlock(number: bigint): Promise<AgreedBlock | null>;
  /**
   * Returns the milliseconds since the quorum's head last rose, by a monotonic clock. For the first head since startup
   * the time of the block counts too, because it may already be old.
   *
   * @param nowMs wall-clock time. An error of it or of the chain's clock lasts only until the next block.
   */
  headAgeMs(nowMs: number): Promise<number>;
  /** Calls the listener when a node announces a new head (WebSocket). Returns the unsubscribe function. */
  onHead(listener: () => void): () => void;
  status(): readonly NodeStatus[];
  /**
   * Resolves once `quorum` nodes have answered with the right chain id. It waits for unavailable nodes.
   *
   * @throws WrongChainError if nodes of another chain leave no quorum.
   */
  ready(): Promise<void>;
  /**
   * Measures the milliseconds that a quorum takes to return its newest block number.
   *
   * @throws QuorumError
   */
  ping(): Promise<number>;
  /** Stops timers and closes WebSockets. */
  close(): void;
}
