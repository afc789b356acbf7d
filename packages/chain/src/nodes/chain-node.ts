import {
  BaseError,
  createPublicClient,
  createTransport,
  hexToBigInt,
  HttpRequestError,
  ResponseBodyTooLargeError,
  RpcRequestError,
  type Chain,
  type Hex,
  type PublicClient,
  type Transport,
} from 'viem';
import { classifyRpcError, NodeThrottledError, NodeUnavailableError, WrongChainError } from '../rpc/chain-error.js';
import { Throttling } from '../rpc/throttling.js';
import type { ChainNode, NodeEvent } from './chain-connection.js';
import { afterFailure, CLOSED, mayProbe, type CircuitBreaker } from './circuit-breaker.js';

/** A connection that fails within this time was a stale one that the node had closed: the request is sent again. */
const STALE_CONNECTION_MS = 1_000;
/** A node with an unanswered request older than this is queried last. */
const SLOW_MS = 900;
/** Maximum length of a shown failure, whose text comes from the node. */
const SHOWN_CHARACTERS = 160;

/** One JSON-RPC request. */
export interface RpcRequest {
  readonly method: string;
  readonly params?: unknown;
}

/** The block of the other nodes that this node lacks. */
interface Divergence {
  readonly number: bigint;
  readonly hash: Hex;
}

/** Connection of a node. `transport` sends one request, without retries and within a timeout. */
interface NodeOptions {
  readonly name: string;
  readonly chain: Chain;
  readonly transport: Transport;
  readonly now: () => number;
  readonly report: (event: NodeEvent) => void;
  /** Returns whether enough other nodes remain without it. */
  readonly isSpare: () => boolean;
}

/** The request was not sent because the node is unusable. */
export class NodeNotUsableError extends BaseError {
  constructor(node: string, reason: string) {
    super(`${node} is not usable: ${reason}`, { name: 'NodeNotUsableError' });
  }
}

/**
 * One node with its health. It is used only after it has answered with the right chain id. A failure opens its circuit
 * breaker, and the chain id is checked again before further use. While too few other nodes remain, it is used anyway,
 * so that one slow answer cannot stop a chain, unless it refused because of rate limits or a wrong key.
 */
export class MonitoredNode implements ChainNode {
  readonly name: string;
  readonly client: PublicClient;
  /** Queries the node even while it is unusable, to detect its recovery. */
  readonly probeClient: PublicClient;
  private readonly rawRequest: (request: RpcRequest) => Promise<unknown>;
  private breaker: CircuitBreaker = CLOSED;
  private verification: Promise<void> | null = null;
  private probing: Promise<void> | null = null;
  private hasRightChain = false;
  private wrongChain: WrongChainError | null = null;
  private divergence: Divergence | null = null;
  private failure: string | null = null;
  private hasRefused = false;
  private newestBlock: bigint | null = null;
  /** Unanswered requests, oldest first. */
  private readonly unanswered = new Set<{ readonly sentAt: number }>();
  private answeredInMs: number | null = null;
  private readonly throttling: Throttling;

  constructor(private readonly options: NodeOptions) {
    const { name, chain, transport } = options;
    this.name = name;
    this.throttling = new Throttling(options.now, (sentence) => this.report('warn', sentence));
    const raw = transport({ chain, retryCount: 0 });
    this.rawRequest = ({ method, params }) => raw.request({ method, params } as never);
    this.client = publicClient(chain, (request) => this.request(request));
    this.probeClient = publicClient(chain, (request) => this.send(request));
  }

  /** Newest block it reported; null until the node answers. */
  get head(): bigint | null {
    return this.newestBlock;
  }

  get latencyMs(): number | null {
    return this.answeredInMs;
  }

  /** Requests that the node rate-limited. */
  get throttled(): number {
    return this.throttling.count;
  }

  /** True if it has answered with the right chain id and has not failed since. */
  get isVerified(): boolean {
    return this.hasRightChain && this.isUsable;
  }

  get isUsable(): boolean {
    return this.reason === null;
  }

  /** True if it is queried: usable, or failed while too few other nodes remain. */
  get isAsked(): boolean {
    if (this.isUsable) return true;
    return this.wrongChain === null && this.divergence === null && !this.hasRefused && !this.options.isSpare();
  }

  /** True if an answer is overdue: the node hangs or is preparing a large answer. */
  get isSlow(): boolean {
    const [oldest] = this.unanswered;
    return oldest !== undefined && this.options.now() - oldest.sentAt > SLOW_MS;
  }

  /** Why the node is unusable; null if it is usable. */
  get reason(): string | null {
    if (this.wrongChain !== null) return this.wrongChain.message;
    if (this.divergence !== null) {
      return `it lacks block ${this.divergence.number} with the hash ${this.divergence.hash} that the others have`;
    }
    return this.breaker.kind === 'open' ? `it failed: ${this.failure}` : null;
  }

  /** The block for which it was set apart; null if it was not. */
  get setApartAt(): Divergence | null {
    return this.divergence;
  }

  /** The error if it serves another chain; otherwise null. */
  get wrongChainError(): WrongChainError | null {
    return this.wrongChain;
  }

  /**
   * Checks the chain id once, then sends a request.
   *
   * @throws NodeNotUsableError immediately while it is set apart; errors of viem.
   */
  async request(request: RpcRequest): Promise<unknown> {
    this.assertUsable();
    if (!this.hasRightChain) {
      await this.verify();
      this.assertUsable();
    }
    return this.send(request);
  }

  /** Reads the chain id if unknown, then the head. One probe at a time, when the breaker allows it. */
  async probe(): Promise<void> {
    if (this.breaker.kind === 'open' && !mayProbe(this.breaker, this.options.now())) return;
    this.probing ??= this.readHead().finally(() => (this.probing = null));
    return this.probing;
  }

  /** Sets the node apart because the others have another block at a final depth. */
  setApart(divergence: Divergence): void {
    if (this.divergence !== null) return;
    this.divergence = divergence;
    this.report('error', `set apart: ${this.reason}`);
  }

  /** Readmits the node because it has the block of the others. */
  readmit(): void {
    if (this.divergence === null) return;
    this.report('info', `used again: it now has block ${this.divergence.number} of the others`);
    this.divergence = null;
  }

  private assertUsable(): void {
    if (!this.isAsked) throw new NodeNotUsableError(this.name, this.reason ?? 'it was set apart');
  }

  /** Concurrent callers share one check. */
  private async verify(): Promise<void> {
    this.verification ??= this.checkChainId().finally(() => (this.verification = null));
    return this.verification;
  }

  private async readHead(): Promise<void> {
    try {
      if (!this.hasRightChain) await this.verify();
      if (this.hasRightChain) await this.probeClient.getBlockNumber({ cacheTime: 0 });
    } catch {
      // The failure is recorded in the breaker.
    }
  }

  private async checkChainId(): Promise<void> {
    const found = Number(await this.send({ method: 'eth_chainId' }));
    const expected = this.options.chain.id;
    const wasWrong = this.wrongChain !== null;
    this.wrongChain = found === expected ? null : new WrongChainError(this.name, expected, found);
    this.hasRightChain = this.wrongChain === null;
    if (this.wrongChain === null) {
      if (this.breaker.kind === 'open') this.report('info', 'answers again');
      this.breaker = CLOSED;
      return;
    }
    // It may be repaired, but each check waits for a pause.
    this.breaker = afterFailure(this.breaker, this.options.now());
    if (!wasWrong) this.report('error', this.wrongChain.message);
  }

  private async send(request: RpcRequest): Promise<unknown> {
    const startedAt = this.options.now();
    const pending = { sentAt: startedAt };
    this.unanswered.add(pending);
    try {
      const result = await this.rawRequest(request).catch((error: unknown) => {
        const isStale = isConnectionFailure(error) && this.options.now() - startedAt < STALE_CONNECTION_MS;
        if (!isStale) throw error;
        return this.rawRequest(request);
      });
      this.noteAnswer(request, result, startedAt);
      return result;
    } catch (error) {
      const refusal = classifyRefusal(error);
      if (refusal instanceof NodeThrottledError) this.throttling.note(refusal.reason);
      if (isNodeFailure(error)) this.noteFailure(error, refusal);
      throw error;
    } finally {
      this.unanswered.delete(pending);
    }
  }

  private noteAnswer({ method }: RpcRequest, result: unknown, startedAt: number): void {
    if (method !== 'eth_blockNumber') return;
    this.newestBlock = hexToBigInt(result as Hex);
    this.answeredInMs = Math.round(this.options.now() - startedAt);
  }

  private noteFailure(error: BaseError, refusal: NodeUnavailableError | null): void {
    this.failure = (refusal?.reason ?? (error.details || error.shortMessage)).slice(0, SHOWN_CHARACTERS);
    this.hasRefused = refusal !== null;
    const isReported = refusal instanceof NodeThrottledError;
    if (this.breaker.kind === 'closed' && !isReported) this.report('warn', `does not answer: ${this.failure}`);
    this.breaker = afterFailure(this.breaker, this.options.now());
    this.hasRightChain = false;
  }

  private report(level: NodeEvent['level'], message: string): void {
    const { chain, name, report } = this.options;
    report({ level, chain: chain.name, node: name, message });
  }
}

/**
 * Creates a client over a function that sends requests. It never caches the newest block, which decides finality, and
 * does not follow an OffchainLookup (ERC-3668), by which any contract could choose URLs that we fetch.
 */
export function publicClient(chain: Chain, request: (request: RpcRequest) => Promise<unknown>): PublicClient {
  const transport: Transport = () =>
    createTransport({
      key: 'nodes',
      name: 'Nodes of a chain',
      type: 'nodes',
      request: request as never,
      retryCount: 0,
    });
  return createPublicClient({ chain, transport, cacheTime: 0, pollingInterval: 500, ccipRead: false });
}

/** Returns whether the node gave no answer, as opposed to an error or a too large answer. */
function isNodeFailure(error: unknown): error is BaseError {
  if (!(error instanceof BaseError)) return false;
  if (error.walk((cause) => cause instanceof RpcRequestError || cause instanceof ResponseBodyTooLargeError) !== null)
    return false;
  const { status } = (error.walk((cause) => cause instanceof HttpRequestError) ?? {}) as { status?: number };
  return status === undefined || status >= 500 || [401, 403, 408, 429].includes(status);
}

/** Returns a refusal that an operator can remedy; null for other failures. */
function classifyRefusal(error: unknown): NodeUnavailableError | null {
  if (!(error instanceof BaseError)) return null;
  const { status } = (error.walk((cause) => cause instanceof HttpRequestError) ?? {}) as { status?: number };
  const classified = classifyRpcError(error);
  if (classified instanceof NodeThrottledError) return classified;
  return classified instanceof NodeUnavailableError && (status === 401 || status === 403) ? classified : null;
}

function isConnectionFailure(error: unknown): boolean {
  return error instanceof HttpRequestError && error.status === undefined;
}
