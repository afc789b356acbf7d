import { setTimeout } from 'node:timers/promises';
import { parseEndpoint } from '@causeway/service/configuration';
import { defineChain, type Hex, type PublicClient, type Transport } from 'viem';
import { readHeader } from '../blocks/header.js';
import { QuorumError, type NodeAnswer } from '../rpc/chain-error.js';
import type { AgreedBlock, ChainConnection, ChainNode, NodeEvent, NodeStatus } from './chain-connection.js';
import { MonitoredNode, NodeNotUsableError, publicClient } from './chain-node.js';
import { askInOrder, sendToAll } from './failover.js';
import { HeadSubscription } from './head-subscription.js';
import { httpTransport } from './http-transport.js';
import { askNodes, describeFailure, majorityKey, quorumHead, type Vote } from './quorum.js';

const TIMEOUT_MS = 10_000;
/** Interval between checks for due probes. */
const TICK_MS = 1_000;
/** Interval between health checks of all nodes. */
const HEALTH_CHECK_MS = 5_000;
/** Interval between checks of a node that was set apart. */
const READMISSION_CHECK_MS = 60_000;
/** Nodes further behind the agreed head are queried last. */
const TOLERATED_LAG = 5n;
const READY_POLL_MS = 20;
const NO_HEADS = 'announces no new heads by WebSocket; the relayer polls and connects again';
/** Answer key for a missing block. */
const NO_BLOCK = 'none';

/** A chain and its connection settings. */
export interface ChainOptions {
  readonly name: string;
  readonly chainId: number;
  /** HTTP URLs of nodes in order of preference, each with a different host. */
  readonly urls: readonly string[];
  /** WebSocket URLs that announce new heads. */
  readonly headUrls?: readonly string[];
  /** The number of nodes that must agree: 1 to the number of nodes. */
  readonly quorum: number;
  /** Confirmations that make a block final. A node with another block at that depth is set apart. */
  readonly confirmations: number;
  /** Timeout of one request to one node. */
  readonly timeoutMs?: number;
  /** Receives node events for operators. */
  readonly report?: (event: NodeEvent) => void;
}

/** Injectable clock. */
export interface NodeClock {
  /** Milliseconds since any start. */
  now(): number;
  /** Calls `work` periodically. Returns the function that stops it. */
  every(ms: number, work: () => void): () => void;
  sleep(ms: number): Promise<void>;
}

/** A chain and its nodes with their transports. */
export interface NodesOptions extends Omit<ChainOptions, 'urls' | 'headUrls' | 'timeoutMs'> {
  /** `transport` sends one request, without retries and within a timeout. */
  readonly nodes: readonly { readonly name: string; readonly transport: Transport }[];
  readonly clock: NodeClock;
}

/** The machine's clock. Its timers do not keep the process alive. */
const machineClock: NodeClock = {
  now: () => performance.now(),
  every: (ms, work) => {
    const timer = setInterval(work, ms).unref();
    return () => clearInterval(timer);
  },
  sleep: (ms) => setTimeout(ms, undefined, { ref: false }),
};

/** Connects to the nodes of a chain. Returns immediately; requests wait until a node's chain id is checked. */
export function connectChain({
  urls,
  headUrls = [],
  timeoutMs = TIMEOUT_MS,
  ...options
}: ChainOptions): ChainConnection {
  const nodes = urls.map((url) => ({ name: parseEndpoint(url).host, transport: httpTransport(url, timeoutMs) }));
  return connect({ ...options, nodes, clock: machineClock }, headUrls);
}

/** Connects to nodes by their transports, without head announcements: the caller polls. */
export function connectNodes(options: NodesOptions): ChainConnection {
  return connect(options, []);
}

function connect(options: NodesOptions, headUrls: readonly string[]): ChainConnection {
  const { name, chainId, report = () => undefined } = options;
  const chain = defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: 'native', symbol: 'native', decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });
  return new NodePool({ ...options, chain, headUrls, report });
}

interface PoolOptions extends Pick<NodesOptions, 'nodes' | 'quorum' | 'confirmations' | 'clock'> {
  readonly chain: ReturnType<typeof defineChain>;
  readonly headUrls: readonly string[];
  readonly report: (event: NodeEvent) => void;
}

/** The nodes of a chain as one connection. */
export class NodePool implements ChainConnection {
  readonly name: string;
  readonly chainId: number;
  readonly quorum: number;
  readonly client: PublicClient;
  private readonly nodes: readonly MonitoredNode[];
  private readonly headListeners = new Set<() => void>();
  /** Reviews of pending single-node reads: see `askInOrder`. */
  private readonly reviews = new Set<() => void>();
  private readonly subscriptions: readonly HeadSubscription[];
  private readonly endTicks: () => void;
  private nextHealthCheckAt = 0;
  private nextReadmissionCheckAt = 0;
  private auditedBlock = -1n;
  private isSplit = false;
  /** The highest head of a quorum and when it was first seen. */
  private highest: { readonly number: bigint; readonly since: number; readonly isFirst: boolean };
  /** The block of the first head, read when its age is first requested. */
  private firstBlock: Promise<AgreedBlock | null> | null = null;
  private isClosed = false;

  constructor(private readonly options: PoolOptions) {
    const { chain, quorum, headUrls, report, clock } = options;
    const { length } = options.nodes;
    if (!Number.isInteger(quorum) || quorum < 1 || quorum > length)
      throw new RangeError(`The quorum of ${chain.name} is ${quorum}, but it must be from 1 to ${length}`);
    this.name = chain.name;
    this.chainId = chain.id;
    this.quorum = quorum;
    const nodes = options.nodes.map(({ name, transport }): MonitoredNode => {
      const isSpare = () => nodes.filter((each) => each !== node && each.isUsable).length >= quorum;
      const node = new MonitoredNode({ name, transport, chain, report, isSpare, now: () => clock.now() });
      return node;
    });
    this.nodes = nodes;
    this.client = publicClient(chain, async (request) => {
      const usable = this.usableNodes();
      if (usable.length === 0) {
        const reasons = nodes.map((node) => `${node.name}: ${node.reason}`).join('; ');
        throw new NodeNotUsableError(`every node of ${chain.name}`, reasons);
      }
      if (request.method === 'eth_sendRawTransaction') return sendToAll(usable, request);
      return askInOrder(usable, (node) => node.request(request), this.reviews);
    });
    const onHead = () => this.headListeners.forEach((listener) => listener());
    this.subscriptions = headUrls.map((url) => {
      const silence = { level: 'warn', chain: chain.name, node: parseEndpoint(url).host, message: NO_HEADS } as const;
      return new HeadSubscription(url, onHead, () => report(silence));
    });
    this.highest = { number: -1n, since: clock.now(), isFirst: false };
    this.endTicks = clock.every(TICK_MS, () => this.tick());
    this.tick();
  }

  usable(): readonly ChainNode[] {
    return this.usableNodes();
  }

  async ask<T>(read: (client: PublicClient) => Promise<T>): Promise<T> {
    return askInOrder(this.usableNodes(), ({ client }) => read(client), this.reviews);
  }

  async agree<T>(read: (client: PublicClient) => Promise<T>, toKey?: (answer: T) => string): Promise<T> {
    return askNodes({ ...this.electorate(), read, toKey });
  }

  async agreedHead(): Promise<bigint> {
    const { nodes } = this.electorate();
    const fresh = new Set<MonitoredNode>();
    const failed = new Map<MonitoredNode, unknown>();
    return new Promise((resolve, reject) => {
      const update = () => {
        if (nodes.length - failed.size < this.quorum) return reject(this.noQuorum(failed));
        if (fresh.size < this.quorum) return;
        // A node that has not answered yet counts with its previously reported block, which it has reached.
        const head = this.computeHead(nodes.filter((node) => !failed.has(node)));
        if (head !== null) resolve(head);
      };
      update();
      for (const node of nodes) {
        node.client.getBlockNumber({ cacheTime: 0 }).then(
          () => (fresh.add(node), update()),
          (error: unknown) => (failed.set(node, error), update()),
        );
      }
    });
  }

  async agreedBlock(number: bigint): Promise<AgreedBlock | null> {
    return askNodes<AgreedBlock | null>({
      ...this.electorate(),
      read: (client) => readBlock(client, number),
      toKey: (block) => block?.hash ?? NO_BLOCK,
      onSettled: (votes) => this.setApartDivergent(number, votes),
    });
  }

  async headAgeMs(nowMs: number): Promise<number> {
    const { number, since, isFirst } = this.highest;
    if (isFirst) this.firstBlock ??= this.agreedBlock(number).catch(() => null);
    const first = isFirst ? await this.firstBlock : null;
    const seenMs = this.options.clock.now() - since;
    return first === null ? seenMs : Math.max(seenMs, nowMs - Number(first.timestampSeconds) * 1_000);
  }

  onHead(listener: () => void): () => void {
    this.headListeners.add(listener);
    return () => this.headListeners.delete(listener);
  }

  status(): readonly NodeStatus[] {
    const agreed = this.computeHead(this.nodes);
    return this.nodes.map(({ name, isUsable: usable, head, latencyMs, reason, throttled }) => {
      const lagBlocks = agreed === null || head === null ? null : Math.max(0, Number(agreed - head));
      return { name, usable, head, lagBlocks, latencyMs, reason, throttled };
    });
  }

  async ready(): Promise<void> {
    while (!this.isClosed) {
      if (this.nodes.filter(({ isVerified }) => isVerified).length >= this.quorum) return;
      const wrong = this.nodes.flatMap(({ wrongChainError }) => wrongChainError ?? []);
      if (wrong[0] !== undefined && this.nodes.length - wrong.length < this.quorum) throw wrong[0];
      await this.options.clock.sleep(READY_POLL_MS);
    }
    throw this.noQuorum();
  }

  async ping(): Promise<number> {
    const startedAt = this.options.clock.now();
    await this.agreedHead();
    return Math.round(this.options.clock.now() - startedAt);
  }

  close(): void {
    this.isClosed = true;
    this.endTicks();
    for (const subscription of this.subscriptions) subscription.close();
  }

  /** Replaces slow nodes in pending reads and probes the nodes that are due. Called by a timer. */
  tick(): void {
    for (const review of this.reviews) review();
    const now = this.options.clock.now();
    this.noteHead(now);
    const isHealthCheckDue = now >= this.nextHealthCheckAt;
    if (isHealthCheckDue) this.nextHealthCheckAt = now + HEALTH_CHECK_MS;
    for (const node of this.nodes) if (isHealthCheckDue || !node.isUsable) void node.probe();
    if (this.nodes.length > 1) void this.audit();
    if (now < this.nextReadmissionCheckAt) return;
    this.nextReadmissionCheckAt = now + READMISSION_CHECK_MS;
    for (const node of this.nodes) if (node.setApartAt !== null) void this.readmitIfCured(node);
  }

  private noteHead(since: number): void {
    const number = this.computeHead(this.nodes.filter(({ isUsable }) => isUsable)) ?? -1n;
    if (number > this.highest.number) this.highest = { number, since, isFirst: this.highest.number < 0n };
  }

  /**
   * Compares the newest final block of all nodes, with or without operations in it. This finds a node on another branch
   * before its blocks can delay an operation.
   */
  private async audit(): Promise<void> {
    const newestFinal = this.newestFinalBlock();
    if (newestFinal === null || newestFinal <= this.auditedBlock) return;
    this.auditedBlock = newestFinal;
    try {
      await this.agreedBlock(newestFinal);
      this.isSplit = false;
    } catch (error) {
      if (!(error instanceof QuorumError)) throw error;
      if (!this.isSplit) this.options.report({ level: 'error', chain: this.name, node: null, message: error.message });
      this.isSplit = true;
    }
  }

  private setApartDivergent(number: bigint, votes: readonly Vote<AgreedBlock | null>[]): void {
    const newestFinal = this.newestFinalBlock();
    const key = majorityKey(votes, this.nodes.length);
    if (newestFinal === null || number > newestFinal || key === null || key === NO_BLOCK) return;
    for (const vote of votes) {
      // A node without the block lags, which is not a divergence.
      if (vote.kind === 'failure' || vote.key === key || vote.key === NO_BLOCK) continue;
      this.nodes.find((node) => node === vote.node)?.setApart({ number, hash: key as Hex });
    }
  }

  private async readmitIfCured(node: MonitoredNode): Promise<void> {
    const { setApartAt } = node;
    if (setApartAt === null) return;
    try {
      const theirs = await readBlock(node.probeClient, setApartAt.number);
      if (theirs === null) return;
      // The others may have left the branch for which it was set apart.
      const agreed = await this.agreedBlock(setApartAt.number).catch(() => null);
      if (theirs.hash === (agreed?.hash ?? setApartAt.hash)) node.readmit();
    } catch {
      // The node does not answer; the next check retries.
    }
  }

  /** Returns the voting nodes, and why the others do not vote. */
  private electorate() {
    const notAsked = this.nodes.flatMap(({ name, isAsked, reason }) =>
      isAsked ? [] : [{ node: name, failure: reason ?? 'it was set apart' }],
    );
    return { chain: this.name, quorum: this.quorum, nodes: this.usableNodes(), notAsked };
  }

  private usableNodes(): readonly MonitoredNode[] {
    const asked = this.nodes.filter(({ isAsked }) => isAsked);
    const agreed = this.computeHead(asked) ?? 0n;
    const lags = ({ head }: MonitoredNode) => head !== null && agreed - head > TOLERATED_LAG;
    const getRank = (node: MonitoredNode) => (!node.isUsable ? 3 : node.isSlow ? 2 : Number(lags(node)));
    return asked.toSorted((one, other) => getRank(one) - getRank(other));
  }

  private newestFinalBlock(): bigint | null {
    const head = this.computeHead(this.nodes.filter(({ isUsable }) => isUsable));
    const number = head === null ? -1n : head - BigInt(this.options.confirmations) + 1n;
    return number < 0n ? null : number;
  }

  private computeHead(nodes: readonly MonitoredNode[]): bigint | null {
    return quorumHead(
      nodes.flatMap(({ head }) => head ?? []),
      this.quorum,
    );
  }

  private noQuorum(failed: ReadonlyMap<MonitoredNode, unknown> = new Map()): QuorumError {
    const answers = this.nodes.map((node): NodeAnswer => {
      const { name, head, reason } = node;
      if (failed.has(node)) return { node: name, failure: describeFailure(failed.get(node)) };
      if (reason !== null || head === null) return { node: name, failure: reason ?? 'no answer' };
      return { node: name, answer: `newest block ${head}` };
    });
    return new QuorumError(this.name, this.quorum, answers);
  }
}

async function readBlock(client: PublicClient, number: bigint): Promise<AgreedBlock | null> {
  const header = await readHeader(client, number);
  if (header === null) return null;
  const { hash, parentHash, timestamp } = header;
  return { number, hash, parentHash, timestampSeconds: BigInt(timestamp) };
}
