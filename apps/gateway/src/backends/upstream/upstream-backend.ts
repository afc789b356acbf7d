import { ConfigurationError } from '@causeway/service/configuration';
import { isAddress, toHex, type Address } from 'viem';
import { RpcError } from '../../jsonrpc/errors.js';
import type { Backend, BackendListener, BackendStatus, HeadEvent, SyncState } from '../backend.js';
import { ClockComparison } from './clock-comparison.js';
import { callWithFailover } from './failover.js';
import { HeadTracker } from './head-tracker.js';
import { GenesisCheck, HealthCheck } from './health-check.js';
import { NodeClient } from './node-client.js';
import { NodePool } from './node-pool.js';
import { completeOptions, type UpstreamOptions } from './options.js';
import { PendingWatcher } from './pending-watcher.js';
import { getField } from './read-answers.js';
import { ResultCache } from './result-cache.js';
import { sendTransaction } from './send-transaction.js';

/** The producers of this many latest blocks count as active validators. */
const VALIDATOR_BLOCKS = 100;
const CACHE_BYTES = 64 * 1024 * 1024;
/** Maximum logs in one response of eth_getLogs. */
const MAX_LOGS = 10_000;

/** A block further in the future than this means that this machine's clock is wrong. */
const CLOCK_TOLERANCE_MS = 30_000;

/**
 * Checks each node once, but does not wait for a usable node. Until there is one, calls fail with RESOURCE_UNAVAILABLE.
 *
 * @throws ConfigurationError when every node answers and is on another chain, or this machine's clock is far behind the
 *   newest block of every usable node.
 */
export async function createUpstreamBackend(options: UpstreamOptions): Promise<Backend> {
  const backend = new UpstreamBackend(completeOptions(options));
  try {
    await backend.start();
  } catch (error) {
    await backend.close();
    throw error;
  }
  return backend;
}

/** Combines real nodes of the same chain into one backend, which works while one of them does. */
class UpstreamBackend implements Backend {
  private readonly genesis: GenesisCheck;
  private readonly pool: NodePool;
  private readonly tracker: HeadTracker;
  private readonly cache: ResultCache;
  private readonly pending: PendingWatcher;
  private readonly listeners = new Set<BackendListener>();
  private readonly clock = new ClockComparison(() => Date.now());
  private syncState: SyncState = false;
  private closed = false;

  constructor(private readonly options: Required<UpstreamOptions>) {
    this.genesis = new GenesisCheck(options.genesisHash);
    const onChecked = (check: HealthCheck): Promise<void> => this.onChecked(check);
    const checks = options.urls.map(
      (url) => new HealthCheck(new NodeClient(url, options), options, this.genesis, onChecked),
    );
    this.pool = new NodePool(checks, options.maxLagBlocks);
    this.cache = new ResultCache(CACHE_BYTES, options.confirmations);
    const onHead = (event: HeadEvent): void => this.listeners.forEach((listener) => listener.onHead(event));
    this.tracker = new HeadTracker(options, onHead, () => this.cache.clear());
    this.pending = new PendingWatcher(
      () => this.pool.preferred()?.node ?? null,
      (hash) => this.listeners.forEach((listener) => listener.onPendingTransaction(hash)),
      options.pollIntervalMs,
    );
  }

  async start(): Promise<void> {
    const { checks } = this.pool;
    const rest = [...checks];
    // Checked one by one until a node has returned block 0, so that the order of the addresses decides the chain, not
    // their speed.
    while (!this.genesis.isDecided && rest.length > 0) await rest.shift()?.run();
    await Promise.all(rest.map((check) => check.run()));
    this.refuseOtherChains();
    this.refuseOtherTime();
    if (this.pool.preferred() === null) this.options.logger.warn('No upstream node can be used yet');
    for (const check of checks) check.start();
  }

  async request(method: string, given: readonly unknown[]): Promise<unknown> {
    if (this.closed) throw new RpcError('RESOURCE_UNAVAILABLE', 'the gateway is shutting down, try again');
    const params = withFinalBlock(given, this.tracker.verifiedHead, this.options.confirmations);
    switch (method) {
      case 'eth_chainId':
        return toHex(this.options.chainId);
      case 'eth_syncing':
        return this.pool.syncing();
      case 'eth_sendRawTransaction':
        return sendTransaction(this.pool, params[0]);
      case 'eth_getLogs':
        return this.logs(params);
      case 'eth_blockNumber':
        return this.blockNumber();
      case 'partner_getValidators':
        return this.validators();
      case 'debug_traceTransaction':
        return getField(params[1], 'tracer') === 'prestateTracer' ? this.read(method, params) : this.callTree(params);
      default:
        return this.cache.covers(method) ? this.readCached(method, params) : this.read(method, params);
    }
  }

  listen(listener: BackendListener): () => void {
    this.listeners.add(listener);
    this.pending.start();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.pending.stop();
    };
  }

  status(): BackendStatus {
    return {
      kind: 'upstream',
      available: !this.closed && this.pool.preferred() !== null,
      syncing: this.pool.syncing(),
      blockNumber: this.tracker.highestSeen,
      nodes: this.pool.statuses(),
    };
  }

  clockOffsetMs(): number | null {
    return this.clock.offsetMs();
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.pending.stop();
    await Promise.all(this.pool.checks.map((check) => check.close()));
  }

  private refuseOtherChains(): void {
    const { checks } = this.pool;
    if (checks.some(({ health }) => health.otherChainId === null)) return;
    const { chainId } = this.options;
    const found = checks.map(({ node, health }) => `${node.name} is of chain ${health.otherChainId}`);
    throw new ConfigurationError([`UPSTREAM_URLS must name nodes of chain ${chainId} (CHAIN_ID): ${found.join(', ')}`]);
  }

  private refuseOtherTime(): void {
    const heads = this.pool.usable().flatMap(({ health }) => health.header ?? []);
    const aheadMs = Math.min(...heads.map(({ timestamp }) => Number(timestamp) * 1_000)) - this.options.now();
    if (heads.length === 0 || aheadMs <= CLOCK_TOLERANCE_MS) return;
    throw new ConfigurationError([
      `The newest block of UPSTREAM_URLS is ${Math.round(aheadMs / 1_000)} s in the future: ` +
        'set the clock of this machine (NTP)',
    ]);
  }

  private read(method: string, params: readonly unknown[]): Promise<unknown> {
    return callWithFailover(this.pool, { method, params }, () => this.tracker.highestSeen);
  }

  private async readCached(method: string, params: readonly unknown[]): Promise<unknown> {
    const kept = this.cache.get(method, params);
    if (kept !== undefined) return kept;
    const { epoch } = this.cache;
    const result = await this.read(method, params);
    this.cache.put(method, params, result, this.tracker.verifiedHead, epoch);
    return result;
  }

  private async blockNumber(): Promise<unknown> {
    const number = await this.read('eth_blockNumber', []);
    this.tracker.report(Number(number));
    return number;
  }

  private async logs(params: readonly unknown[]): Promise<unknown> {
    const logs = await this.read('eth_getLogs', params);
    if (Array.isArray(logs) && logs.length > MAX_LOGS && !isShort(params[0])) {
      throw new RpcError('RATE_LIMIT_EXCEEDED', `query returned more than ${MAX_LOGS} results; narrow the block range`);
    }
    return logs;
  }

  private async callTree(params: readonly unknown[]): Promise<unknown> {
    const tree = await this.read('debug_traceTransaction', params);
    if (isCallFrame(tree)) return tree;
    if ((await this.readCached('eth_getTransactionReceipt', [params[0]])) === null) {
      throw new RpcError('RESOURCE_NOT_FOUND', 'the transaction is not in a block');
    }
    throw new RpcError('METHOD_NOT_SUPPORTED', 'the node has no callTracer');
  }

  /** A partner chain node knows its validators. For other nodes, use the producers of the latest blocks. */
  private async validators(): Promise<unknown> {
    try {
      return await this.read('partner_getValidators', []);
    } catch (error) {
      if (!(error instanceof RpcError) || error.kind !== 'METHOD_NOT_SUPPORTED') throw error;
      return this.recentMakers();
    }
  }

  private async recentMakers(): Promise<{ readonly address: Address; readonly active: boolean }[]> {
    const head = Number(await this.blockNumber());
    const count = Math.min(VALIDATOR_BLOCKS, head + 1);
    const blocks = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        this.readCached('eth_getBlockByNumber', [toHex(head - index), false]),
      ),
    );
    const makers = new Set<Address>();
    for (const block of blocks) {
      const miner = getField(block, 'miner');
      if (typeof miner === 'string' && isAddress(miner, { strict: false })) makers.add(miner.toLowerCase() as Address);
    }
    return [...makers].toSorted().map((address) => ({ address, active: true }));
  }

  private async onChecked(check: HealthCheck): Promise<void> {
    const { header } = check.health;
    if (header !== null && this.pool.preferred() === check) {
      this.clock.see(header);
      await this.tracker.follow(check.node, header);
    }
    const state = this.pool.syncing();
    if (JSON.stringify(state) === JSON.stringify(this.syncState)) return;
    this.syncState = state;
    for (const listener of this.listeners) listener.onSyncing(state);
  }
}

/** Nodes without callTracer return another tracer's result, anvil even for an unknown transaction. */
function isCallFrame(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'type' in result && 'from' in result && 'gasUsed' in result;
}

const FINAL_TAGS: ReadonlySet<unknown> = new Set(['safe', 'finalized']);

/**
 * Replaces `safe` and `finalized` with a block number, because a node does not know the bridge's confirmations.
 *
 * @param head the newest verified block; null while unknown, which leaves the tags.
 */
export function withFinalBlock(
  params: readonly unknown[],
  head: number | null,
  confirmations: number,
): readonly unknown[] {
  if (head === null || !params.some((param) => isFinalTag(param) || hasFinalTag(param))) return params;
  const final = toHex(Math.max(0, head - (confirmations - 1)));
  const replace = (value: unknown): unknown => (isFinalTag(value) ? final : value);
  return params.map((param) =>
    hasFinalTag(param)
      ? Object.fromEntries(Object.entries(param).map(([key, value]) => [key, replace(value)]))
      : replace(param),
  );
}

function isFinalTag(value: unknown): boolean {
  return FINAL_TAGS.has(value);
}

function hasFinalTag(param: unknown): param is object {
  return typeof param === 'object' && param !== null && Object.values(param).some(isFinalTag);
}

/** Whether a log filter covers at most two blocks: an indexer cannot ask for less. */
function isShort(filter: unknown): boolean {
  const [from, to] = [getField(filter, 'fromBlock'), getField(filter, 'toBlock')].map(Number);
  return getField(filter, 'blockHash') !== undefined || (to ?? Number.NaN) - (from ?? Number.NaN) <= 1;
}
