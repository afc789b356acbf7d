import type { Hex, PublicClient } from 'viem';

/** One node of a chain. */
export interface ChainNode {
  /** Its host and port. Never the path or the credentials of its URL, which may be API keys. */
  readonly name: string;
  /** Asks this node only. Fails immediately while the node is not usable. */
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
  /** Its newest block; null until it answered. */
  readonly head: bigint | null;
  /** Blocks behind the head that a quorum has reached; null until that is known. */
  readonly lagBlocks: number | null;
  /** Time of its last answer to a request for its head. */
  readonly latencyMs: number | null;
  /** Why it is not usable, for operators. */
  readonly reason: string | null;
  /** The requests since the start that it refused because this process sends too many. */
  readonly throttled: number;
}

/** Something that operators should know about a node. `message` is a whole sentence without secrets. */
export interface NodeEvent {
  readonly level: 'info' | 'warn' | 'error';
  readonly chain: string;
  /** Null when it is about all of them. */
  readonly node: string | null;
  readonly message: string;
}

/**
 * A chain over several nodes. No single node is believed: what decides about money is read with `agree`,
 * `agreedHead` and `agreedBlock`, which return only what `quorum` nodes answered equally.
 */
export interface ChainConnection {
  readonly name: string;
  readonly chainId: number;
  /** The number of nodes that must agree. */
  readonly quorum: number;
  /**
   * Asks the best usable node, and the next one when it fails or has not answered for a second or two. Only for reads
   * that no money depends on. Sends transactions to every usable node, so that none can suppress one.
   */
  readonly client: PublicClient;
  /** The usable nodes, best first: in the configured order, then those that lag, then those that owe an answer. */
  usable(): readonly ChainNode[];
  /**
   * The same for several requests that one node must answer. The first result counts.
   *
   * @throws the error of a node when none gives a result.
   */
  ask<T>(read: (client: PublicClient) => Promise<T>): Promise<T>;
  /**
   * Asks all usable nodes and returns as soon as `quorum` of them gave equal answers. Reads of state should name a
   * block (`agreedHead`), since nodes reach a new block at different times.
   *
   * @param read asks one node. An exception counts as no answer.
   * @param toKey maps equal answers to the same text. Default: all fields of the answer.
   * @throws QuorumError naming what each node answered.
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
   * @returns null when they agree that there is none yet.
   * @throws QuorumError
   */
  agreedBlock(number: bigint): Promise<AgreedBlock | null>;
  /**
   * How long the chain has made no block, in milliseconds: since the head of the quorum last rose, by a clock that
   * is never set. Only of the first head since the start its own time counts too: it may have been old already.
   *
   * @param nowMs the time of this machine. Where it is wrong, or the chain's, that ends with the next block.
   */
  headAgeMs(nowMs: number): Promise<number>;
  /** Calls the listener when a node announces a new head (WebSocket). Returns the function that ends it. */
  onHead(listener: () => void): () => void;
  status(): readonly NodeStatus[];
  /**
   * Resolves as soon as `quorum` nodes have answered with the right chain id. It waits for nodes that are away.
   *
   * @throws WrongChainError when nodes of another chain leave no quorum.
   */
  ready(): Promise<void>;
  /**
   * Measures how long a quorum takes to return its newest block number, in milliseconds.
   *
   * @throws QuorumError
   */
  ping(): Promise<number>;
  /** Ends timers and WebSockets. */
  close(): void;
}
