import { randomBytes } from 'node:crypto';
import type { Hex } from 'viem';
import type { Backend } from '../backends/backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import type { ClientBudget } from '../limits/client-budget.js';
import type { LogQuery } from '../schemas/log-filter.js';
import type { BlockLogs } from './block-logs.js';
import { ChangeLog } from './change-log.js';
import { collectLogs } from './filter-logs.js';
import type { HeadFeed } from './head-feed.js';
import { LogMatcher } from './log-matcher.js';

/** What a filter reports. */
type FilterTopic =
  { readonly kind: 'blocks' | 'pendingTransactions' } | { readonly kind: 'logs'; readonly query: LogQuery };

interface FiltersOptions {
  readonly backend: Backend;
  readonly feed: HeadFeed;
  readonly blockLogs: BlockLogs;
  readonly budget: ClientBudget;
  /** A monotonic clock, milliseconds. */
  now(): number;
  /** Milliseconds after the last poll until a filter expires; five minutes, as with geth, when left out. */
  readonly lifetimeMs?: number;
  /** Milliseconds that a poll waits for a block that the backend has and has not announced yet. */
  readonly blockTimeoutMs?: number;
  readonly newId?: () => Hex;
}

interface BaseFilter {
  readonly id: Hex;
  readonly ip: string;
  /** Position in the change log up to which changes were reported. */
  cursor: number;
  /**
   * Number of the newest block when the filter was made. Blocks up to it that are announced later are not new, unless a
   * reorganisation brought them.
   */
  baseline: number;
  /** Monotonic milliseconds. */
  polledAt: number;
  /** The last of the polls of this filter, which run one after the other, and their number. */
  lastPoll: Promise<unknown>;
  polls: number;
  /** To be called once when the filter ends. */
  readonly release: () => void;
}

interface LogFilter extends BaseFilter {
  readonly kind: 'logs';
  readonly query: LogQuery;
  readonly matcher: LogMatcher;
}

interface HashFilter extends BaseFilter {
  readonly kind: 'blocks' | 'pendingTransactions';
}

type Filter = LogFilter | HashFilter;

const LIFETIME_MS = 5 * 60_000;
const BLOCK_TIMEOUT_MS = 2_000;
const SWEEP_INTERVAL_MS = 30_000;
/** Polls of one filter that may wait for each other. */
const MAX_POLLS = 16;

/**
 * All filters of this process (eth_newFilter and the like). They live in its memory: behind a load balancer a client
 * must stay with one gateway. A filter that is gone is -32001, and clients make a new one.
 *
 * As with geth, a filter reports changes since it was made, whatever its fromBlock; eth_getFilterLogs answers older
 * logs.
 */
export class Filters {
  /** In the order of their last poll. */
  private readonly filters = new Map<string, Filter>();
  private readonly changeLog: ChangeLog;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly options: FiltersOptions) {
    this.changeLog = new ChangeLog(options.feed);
    this.timer = setInterval(() => this.sweep(), SWEEP_INTERVAL_MS).unref();
  }

  /** The number of filters, for metrics. */
  count(): number {
    return this.filters.size;
  }

  /**
   * Makes a filter that reports changes from now on.
   *
   * @param ip the client that the filter counts for.
   * @throws RpcError -32005 for too many filters, or the error of the backend.
   */
  async create(ip: string, topic: FilterTopic): Promise<Hex> {
    this.sweep();
    const matcher = topic.kind === 'logs' ? new LogMatcher(topic.query) : null;
    const release = this.reserve(ip, matcher);
    try {
      const { changeLog } = this;
      const cursor = topic.kind === 'pendingTransactions' ? changeLog.pendingCursor : changeLog.headCursor;
      const base = {
        id: (this.options.newId ?? randomId)(),
        ip,
        cursor,
        baseline: await this.newestBlock(),
        polledAt: this.options.now(),
        lastPoll: Promise.resolve(),
        polls: 0,
        release,
      };
      const filter: Filter =
        topic.kind === 'logs' && matcher !== null
          ? { ...base, kind: 'logs', query: topic.query, matcher }
          : { ...base, kind: topic.kind === 'pendingTransactions' ? 'pendingTransactions' : 'blocks' };
      this.filters.set(filter.id, filter);
      return filter.id;
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * The changes since the last poll: logs, hashes of blocks, or hashes of pending transactions.
   *
   * @throws RpcError -32001 for a filter that is gone, or the error of the backend; then the next poll reports the
   *   same.
   */
  async changes(id: string): Promise<readonly unknown[]> {
    const filter = this.find(id);
    if (filter.polls >= MAX_POLLS) {
      throw new RpcError('RATE_LIMIT_EXCEEDED', 'wait for the answer before the filter is polled again');
    }
    filter.polls += 1;
    const before = filter.lastPoll;
    const { promise, resolve } = Promise.withResolvers<void>();
    filter.lastPoll = promise;
    try {
      await before;
      return await this.poll(filter);
    } finally {
      filter.polls -= 1;
      resolve();
    }
  }

  /**
   * All logs in the range of a filter, also from before it was made.
   *
   * @throws RpcError -32001 for a filter that is gone or is not for logs, or the error of the backend.
   */
  async logs(id: string): Promise<unknown> {
    const filter = this.find(id);
    if (filter.kind !== 'logs') throw new RpcError('RESOURCE_NOT_FOUND', 'the filter is not for logs');
    return this.options.backend.request('eth_getLogs', [filter.query], filter.ip);
  }

  /** Ends a filter. @returns false if there is none with this id. */
  uninstall(id: string): boolean {
    const filter = this.filters.get(id);
    if (filter === undefined) return false;
    this.drop(filter);
    return true;
  }

  /** Ends expired filters. */
  sweep(): void {
    for (const filter of this.filters.values()) {
      if (!this.isExpired(filter)) break;
      this.drop(filter);
    }
  }

  /** Ends all filters. */
  close(): void {
    clearInterval(this.timer);
    for (const filter of this.filters.values()) this.drop(filter);
  }

  private reserve(ip: string, matcher: LogMatcher | null): () => void {
    const { budget, blockLogs } = this.options;
    const filter = budget.take('filters', ip, 1);
    if (typeof filter !== 'function') throw tooMany(filter === 'each' ? 'filters of this client' : 'filters in all');
    const terms = budget.take('filterTerms', ip, matcher?.terms ?? 0);
    if (typeof terms !== 'function') {
      filter();
      throw tooMany('addresses and topics in filters');
    }
    const release = this.changeLog.hold();
    const unwatch = matcher === null ? null : blockLogs.watch(matcher);
    return () => {
      unwatch?.();
      release();
      terms();
      filter();
    };
  }

  private find(id: string): Filter {
    const filter = this.filters.get(id);
    if (filter === undefined || this.isExpired(filter)) {
      throw gone('it expired without polls, or another gateway made it');
    }
    filter.polledAt = this.options.now();
    this.filters.delete(id);
    this.filters.set(id, filter);
    return filter;
  }

  private isExpired({ polledAt }: Filter): boolean {
    return this.options.now() - polledAt >= (this.options.lifetimeMs ?? LIFETIME_MS);
  }

  private drop(filter: Filter): void {
    this.filters.delete(filter.id);
    filter.release();
  }

  private async poll(filter: Filter): Promise<readonly unknown[]> {
    const { changeLog } = this;
    if (filter.kind === 'pendingTransactions') {
      const hashes = changeLog.pendingSince(filter.cursor);
      filter.cursor = changeLog.pendingCursor;
      return hashes;
    }
    // A client that has seen a receipt expects its logs, though the backend may not have announced the block yet.
    const newest = await this.newestBlock();
    const { blockLogs, blockTimeoutMs = BLOCK_TIMEOUT_MS } = this.options;
    if (newest > filter.baseline) await changeLog.reaches(newest, blockTimeoutMs);
    if (filter.kind === 'logs') await blockLogs.settled();
    if (this.filters.get(filter.id) !== filter) throw gone('it was uninstalled');
    return this.headChanges(filter, changeLog.headCursor);
  }

  private async headChanges(filter: Filter, end: number): Promise<readonly unknown[]> {
    const changes = this.changeLog.headsSince(filter.cursor);
    if (changes === null) throw this.lost(filter);
    const { removed } = changes;
    const isReorganised = removed.length > 0;
    const added = isReorganised ? changes.added : changes.added.filter(({ block }) => block.number > filter.baseline);
    if (filter.kind === 'logs') {
      const collected = await collectLogs(filter, { removed, added }, end, this.options);
      if (collected === null) throw this.lost(filter);
      filter.cursor = collected.cursor;
      if (isReorganised) filter.baseline = -1;
      return collected.logs;
    }
    filter.cursor = end;
    if (isReorganised) filter.baseline = -1;
    return added.map(({ block }) => block.hash);
  }

  private lost(filter: Filter): RpcError {
    this.uninstall(filter.id);
    return gone('too much happened since it was polled');
  }

  private async newestBlock(): Promise<number> {
    return Number(await this.options.backend.request('eth_blockNumber', []));
  }
}

function gone(why: string): RpcError {
  return new RpcError('RESOURCE_NOT_FOUND', `no such filter: ${why}; make a new one`);
}

function tooMany(what: string): RpcError {
  return new RpcError('RATE_LIMIT_EXCEEDED', `too many ${what}; uninstall some, or try again when some have expired`);
}

/**
 * The id of a filter or subscription: 128 bits, random except for the highest, so that ids cannot be guessed. The
 * highest bit is set because some clients read ids as numbers and would lose leading zeros.
 */
export function randomId(): Hex {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0] ?? 0) | 0x80;
  return `0x${bytes.toString('hex')}`;
}
