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

/** A connection that broke within this time was an old one that the node had closed: the request is sent once more. */
const STALE_CONNECTION_MS = 1_000;
/** A node with an older request that it has not answered is asked last. */
const SLOW_MS = 900;
/** Enough of a failure for operators. The text comes from the node. */
const SHOWN_CHARACTERS = 160;

/** One JSON-RPC request. */
export interface RpcRequest {
  readonly method: string;
  readonly params?: unknown;
}

/** The block of the other nodes that this one does not have. */
interface Divergence {
  readonly number: bigint;
  readonly hash: Hex;
}

/** How to reach a node. `transport` sends one request, without retries and within a timeout. */
interface NodeOptions {
  readonly name: string;
  readonly chain: Chain;
  readonly transport: Transport;
  readonly now: () => number;
  readonly report: (event: NodeEvent) => void;
  /** Whether enough other nodes remain without it. */
  readonly isSpare: () => boolean;
}

/** The request was not sent, since the node is not usable now. */
export class NodeNotUsableError extends BaseError {
  constructor(node: string, reason: string) {
    super(`${node} is not usable: ${reason}`, { name: 'NodeNotUsableError' });
  }
}

/**
 * One node with its health. It is asked only after it has answered with the right chain id. A failure opens its circuit
 * breaker, and the chain id is checked again before it is used again. While too few others remain, it is asked all the
 * same, unless it refused for its limits or a wrong key: one slow answer closes no chain.
 */
export class MonitoredNode implements ChainNode {
  readonly name: string;
  readonly client: PublicClient;
  /** Asks the node although it is not usable: to find out whether it has recovered. */
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
  /** The requests that it has not answered, oldest first. */
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

  /** Newest block that it named; null until it answered. */
  get head(): bigint | null {
    return this.newestBlock;
  }

  get latencyMs(): number | null {
    return this.answeredInMs;
  }

  /** The requests that it refused because this process sends too many. */
  get throttled(): number {
    return this.throttling.count;
  }

  /** Whether it has answered with the right chain id and nothing was wrong since. */
  get isVerified(): boolean {
    return this.hasRightChain && this.isUsable;
  }

  get isUsable(): boolean {
    return this.reason === null;
  }

  /** Whether it is asked: also after a failure, while too few others remain. */
  get isAsked(): boolean {
    if (this.isUsable) return true;
    return this.wrongChain === null && this.divergence === null && !this.hasRefused && !this.options.isSpare();
  }

  /** Whether it owes an answer for longer than answers take. It may hang, or work on a large one. */
  get isSlow(): boolean {
    const [oldest] = this.unanswered;
    return oldest !== undefined && this.options.now() - oldest.sentAt > SLOW_MS;
  }

  /** Why it is not usable; null when it is. */
  get reason(): string | null {
    if (this.wrongChain !== null) return this.wrongChain.message;
    if (this.divergence !== null) {
      return `it lacks block ${this.divergence.number} with the hash ${this.divergence.hash} that the others have`;
    }
    return this.breaker.kind === 'open' ? `it failed: ${this.failure}` : null;
  }

  /** The block for which it was set apart; null when it was not. */
  get setApartAt(): Divergence | null {
    return this.divergence;
  }

  /** The error that names it and the chain it serves; null unless that is another chain. */
  get wrongChainError(): WrongChainError | null {
    return this.wrongChain;
  }

  /**
   * Sends a request, after the chain id was checked.
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

  /** Reads its head, after the chain id if that is unknown. Not before the breaker allows it; one probe a time. */
  async probe(): Promise<void> {
    if (this.breaker.kind === 'open' && !mayProbe(this.breaker, this.options.now())) return;
    this.probing ??= this.readHead().finally(() => (this.probing = null));
    return this.probing;
  }

  /** Sets it apart: the others have another block at a depth that they call final. */
  setApart(divergence: Divergence): void {
    if (this.divergence !== null) return;
    this.divergence = divergence;
    this.report('error', `set apart: ${this.reason}`);
  }

  /** Uses it again: it has the block of the others now. */
  readmit(): void {
    if (this.divergence === null) return;
    this.report('info', `used again: it has block ${this.divergence.number} of the others now`);
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
    // It may be repaired, but a pause must pass before each look.
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
 * Creates a client over a function that sends requests. It never caches the newest block, which decides finality. It
 * does not follow the OffchainLookup of a contract (ERC-3668): that would let a stranger choose URLs that we fetch.
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

/** Whether the node gave no answer, as opposed to an answer that is an error or too large. */
function isNodeFailure(error: unknown): error is BaseError {
  if (!(error instanceof BaseError)) return false;
  if (error.walk((cause) => cause instanceof RpcRequestError || cause instanceof ResponseBodyTooLargeError) !== null)
    return false;
  const { status } = (error.walk((cause) => cause instanceof HttpRequestError) ?? {}) as { status?: number };
  return status === undefined || status >= 500 || [401, 403, 408, 429].includes(status);
}

/** A refusal that says what an operator must change; null for any other failure. */
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
