import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { RpcHeader, SyncState } from '../backend.js';
import type { NodeClient } from './node-client.js';
import { NodeFailure, NodeRpcError } from './node-errors.js';
import type { UpstreamOptions } from './options.js';
import { readHeader, readSyncState, type NodeAnswer } from './read-answers.js';

const PROBE_TIMEOUT_MS = 2_000;

interface NodeHealth {
  /** Null when the node can be used; else a short reason without addresses. */
  readonly problem: string | null;
  /** The node's head at the last successful check. */
  readonly header: RpcHeader | null;
  readonly syncing: SyncState;
  readonly latencyMs: number | null;
  /** The id of another chain that it reported at the last check; else null. */
  readonly otherChainId: number | null;
}

/** Distinguishes chains with the same id by block 0. Without a configured hash, the first node decides. */
export class GenesisCheck {
  private hash: string | null;

  constructor(hash: Hex | null) {
    this.hash = hash?.toLowerCase() ?? null;
  }

  get isDecided(): boolean {
    return this.hash !== null;
  }

  accepts(hash: Hex): boolean {
    this.hash ??= hash.toLowerCase();
    return this.hash === hash.toLowerCase();
  }
}

/** Checks the health of one node in intervals, and records the outcome of its calls. */
export class HealthCheck {
  private current: NodeHealth = {
    problem: 'is not checked yet',
    header: null,
    syncing: false,
    latencyMs: null,
    otherChainId: null,
  };
  private readonly breaker: CircuitBreaker;
  private loop: Promise<void> | null = null;
  private wake = new AbortController();
  private closed = false;

  constructor(
    readonly node: NodeClient,
    private readonly options: Required<UpstreamOptions>,
    private readonly genesis: GenesisCheck,
    /** Called after every check; the next check waits for it. Must not reject. */
    private readonly onChecked: (check: HealthCheck) => Promise<void>,
  ) {
    this.breaker = new CircuitBreaker(options.clock);
  }

  get health(): NodeHealth {
    return this.current;
  }

  /** Whether calls to the node failed recently, although its checks pass. */
  get isFailing(): boolean {
    return this.breaker.isOpen;
  }

  async run(): Promise<void> {
    const before = this.current.problem;
    const health = await this.probe();
    if (this.closed) return;
    this.current = health;
    if (health.problem !== null) this.node.failPending(health.problem);
    this.logChange(before, health.problem);
    await this.onChecked(this);
  }

  start(): void {
    this.loop ??= this.repeat();
  }

  /** Records a failed call, and checks the node immediately. */
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

  /** Ends the pause, or skips the next one. */
  private hurry(): void {
    this.wake.abort();
  }

  private async repeat(): Promise<void> {
    while (!this.closed) {
      await sleep(this.options.pollIntervalMs, undefined, { signal: this.wake.signal }).catch(() => undefined);
      this.wake = new AbortController();
      if (!this.closed) await this.run();
    }
  }

  /**
   * Checks everything each time, because another node may have taken over the address. A slow node that answered
   * another call during the check keeps its last health.
   */
  private async probe(): Promise<NodeHealth> {
    const { chainId, clock } = this.options;
    const last = this.current;
    const begun = clock();
    const [chain, first, head, sync] = await this.node.callAll(
      [
        ['eth_chainId', []],
        ['eth_getBlockByNumber', ['0x0', false]],
        ['eth_getBlockByNumber', ['latest', false]],
        ['eth_syncing', []],
      ],
      PROBE_TIMEOUT_MS,
    );
    const unhealthy = (problem: string): NodeHealth => ({ ...last, problem, latencyMs: null, otherChainId: null });
    const failure = [chain, first, head].find((answer) => answer instanceof Error);
    if (failure !== undefined) {
      const isSlow = failure instanceof NodeFailure && failure.kind === 'timeout' && this.node.lastAnswerAt > begun;
      return isSlow && last.problem === null ? last : unhealthy(describe(failure));
    }
    const answered = getResult(chain);
    const answeredChainId = typeof answered === 'string' ? Number(answered) : Number.NaN;
    if (answeredChainId !== chainId) {
      const otherChainId = Number.isSafeInteger(answeredChainId) ? answeredChainId : null;
      return { ...unhealthy(`is not on chain ${chainId}`), header: null, otherChainId };
    }
    const genesis = readHeader(getResult(first));
    const header = readHeader(getResult(head));
    if (genesis === null || Number(genesis.number) !== 0) return unhealthy('does not know its first block');
    if (!this.genesis.accepts(genesis.hash)) {
      return { ...unhealthy(`is on another chain with the id ${chainId}: its first block differs`), header: null };
    }
    if (header === null) return unhealthy('does not know its latest block');
    // If a provider does not support eth_syncing, the node counts as not syncing.
    const latencyMs = Math.round(clock() - begun);
    return { problem: null, header, syncing: readSyncState(getResult(sync)), latencyMs, otherChainId: null };
  }

  private logChange(before: string | null, now: string | null): void {
    if (before === now) return;
    const { logger } = this.options;
    if (now === null) logger.info(`Node ${this.node.name} can be used`);
    else logger.warn(`Node ${this.node.name} is not used: ${now}`);
  }
}

function getResult(answer: NodeAnswer | undefined): unknown {
  return answer !== undefined && 'result' in answer ? answer.result : undefined;
}

function describe(failure: NodeAnswer): string {
  if (failure instanceof NodeFailure) return failure.message;
  return failure instanceof NodeRpcError ? `refuses a health check (${failure.code})` : 'failed a health check';
}

const FIRST_OPEN_MS = 1_000;
const MAX_OPEN_MS = 30_000;
/** Failures further apart than this are unrelated. */
const RESET_AFTER_MS = 60_000;
/** A client can slow down a node on purpose, so one timeout must not move all clients to another node. */
const TIMEOUTS_TO_OPEN = 3;

/** While it is open, the node is asked last. Each consecutive time it stays open twice as long, up to 30 seconds. */
class CircuitBreaker {
  private openUntil = Number.NEGATIVE_INFINITY;
  private lastFailureAt = Number.NEGATIVE_INFINITY;
  private timesInRow = 0;
  private timeoutsInRow = 0;

  constructor(private readonly clock: () => number) {}

  get isOpen(): boolean {
    return this.clock() < this.openUntil;
  }

  recordFailure(failure: NodeFailure): void {
    if (failure.kind === 'timeout' && ++this.timeoutsInRow < TIMEOUTS_TO_OPEN) return;
    if (this.isOpen) return;
    const now = this.clock();
    this.timesInRow = now - this.lastFailureAt > RESET_AFTER_MS ? 0 : this.timesInRow + 1;
    this.lastFailureAt = now;
    this.openUntil = now + Math.min(MAX_OPEN_MS, FIRST_OPEN_MS * 2 ** this.timesInRow);
  }

  recordSuccess(): void {
    this.timeoutsInRow = 0;
  }
}
