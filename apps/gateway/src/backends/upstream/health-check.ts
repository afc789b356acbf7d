import type { Hex } from 'viem';
import type { RpcHeader, SyncState } from '../backend.js';
import { CircuitBreaker } from './circuit-breaker.js';
import type { NodeClient } from './node-client.js';
import { NodeFailure, NodeRpcError } from './node-errors.js';
import type { UpstreamOptions } from './options.js';
import { readHeader, readSyncState, type NodeAnswer } from './read-answers.js';

/** The result of the last health check of a node. */
interface NodeHealth {
  /** Null when the node can be used; else the reason, in a few words without addresses. */
  readonly problem: string | null;
  /** The node's head at the last successful check. */
  readonly header: RpcHeader | null;
  readonly syncing: SyncState;
  /** Duration of the last check, in milliseconds. */
  readonly latencyMs: number | null;
}

/**
 * Identifies the chain beyond its id: private chains with the same configuration share an id, but not the hash of block
 * 0. Without a configured hash the first node that answers decides.
 */
export class GenesisCheck {
  private hash: string | null;

  /** @param hash the configured hash of block 0, or null. */
  constructor(hash: Hex | null) {
    this.hash = hash?.toLowerCase() ?? null;
  }

  get isDecided(): boolean {
    return this.hash !== null;
  }

  /** Whether a node with this block 0 is on the chain. */
  accepts(hash: Hex): boolean {
    this.hash ??= hash.toLowerCase();
    return this.hash === hash.toLowerCase();
  }
}

/** Checks the health of one node in intervals, and records the outcome of its calls. */
export class HealthCheck {
  private current: NodeHealth = { problem: 'is not checked yet', header: null, syncing: false, latencyMs: null };
  private readonly breaker: CircuitBreaker;
  private loop: Promise<void> | null = null;
  private endPause: () => void = () => undefined;
  private skipPause = false;
  private closed = false;

  constructor(
    readonly node: NodeClient,
    private readonly options: Required<UpstreamOptions>,
    private readonly genesis: GenesisCheck,
    /** Called after every check; the next one waits for it. Must not reject. */
    private readonly onChecked: (check: HealthCheck) => Promise<void>,
  ) {
    this.breaker = new CircuitBreaker(options.clock);
  }

  get health(): NodeHealth {
    return this.current;
  }

  /** Whether calls to the node failed lately, although its checks pass. */
  get isFailing(): boolean {
    return this.breaker.isOpen;
  }

  /** Checks the node once. */
  async run(): Promise<void> {
    const before = this.current.problem;
    const health = await this.probe();
    if (this.closed) return;
    this.current = health;
    if (health.problem !== null) this.node.failPending(health.problem);
    this.logChange(before, health.problem);
    await this.onChecked(this);
  }

  /** Starts to check in intervals. */
  start(): void {
    this.loop ??= this.repeat();
  }

  /** Records a failed call, and checks the node now instead of at the end of the interval. */
  recordFailure(failure: NodeFailure): void {
    this.breaker.recordFailure(failure);
    this.hurry();
  }

  recordSuccess(): void {
    this.breaker.recordSuccess();
  }

  async close(): Promise<void> {
    this.closed = true;
    this.hurry();
    await this.node.close();
    await this.loop;
  }

  private hurry(): void {
    this.skipPause = true;
    this.endPause();
  }

  private async repeat(): Promise<void> {
    while (!this.closed) {
      await this.pause();
      if (!this.closed) await this.run();
    }
  }

  private async pause(): Promise<void> {
    if (!this.skipPause) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.options.pollIntervalMs);
        this.endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.skipPause = false;
  }

  /**
   * Checks chain id, first block, head and sync state.
   *
   * Every check asks for all of them: another node may have taken over the address. A node that is only slow keeps its
   * last health, provided that it answered something else during the check.
   */
  private async probe(): Promise<NodeHealth> {
    const { chainId, probeTimeoutMs, clock } = this.options;
    const last = this.current;
    const begun = clock();
    const [chain, first, head, sync] = await this.node.callAll(
      [
        ['eth_chainId', []],
        ['eth_getBlockByNumber', ['0x0', false]],
        ['eth_getBlockByNumber', ['latest', false]],
        ['eth_syncing', []],
      ],
      probeTimeoutMs,
    );
    const unhealthy = (problem: string): NodeHealth => ({ ...last, problem, latencyMs: null });
    const failure = [chain, first, head].find((answer) => answer instanceof Error);
    if (failure !== undefined) {
      const isSlow = failure instanceof NodeFailure && failure.kind === 'timeout' && this.node.lastAnswerAt > begun;
      return isSlow && last.problem === null ? last : unhealthy(describe(failure));
    }
    const answeredChainId = resultOf(chain);
    if (typeof answeredChainId !== 'string' || Number(answeredChainId) !== chainId) {
      return { ...unhealthy(`is not on chain ${chainId}`), header: null };
    }
    const genesis = readHeader(resultOf(first));
    const header = readHeader(resultOf(head));
    if (genesis === null || Number(genesis.number) !== 0) return unhealthy('does not know its first block');
    if (!this.genesis.accepts(genesis.hash)) {
      return { ...unhealthy(`is on another chain with the id ${chainId}: its first block differs`), header: null };
    }
    if (header === null) return unhealthy('does not know its latest block');
    // A provider may not offer eth_syncing; then the node is not syncing.
    return { problem: null, header, syncing: readSyncState(resultOf(sync)), latencyMs: Math.round(clock() - begun) };
  }

  private logChange(before: string | null, now: string | null): void {
    if (before === now) return;
    const { logger } = this.options;
    if (now === null) logger.info(`Node ${this.node.name} can be used`);
    else logger.warn(`Node ${this.node.name} is not used: ${now}`);
  }
}

function resultOf(answer: NodeAnswer | undefined): unknown {
  return answer !== undefined && 'result' in answer ? answer.result : undefined;
}

function describe(failure: NodeAnswer): string {
  if (failure instanceof NodeFailure) return failure.message;
  return failure instanceof NodeRpcError ? `refuses a health check (${failure.code})` : 'failed a health check';
}
