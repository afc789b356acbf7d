import type { Hex } from 'viem';
import type { Backend } from '../backends/backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import type { LogQuery } from '../schemas/log-query.js';
import type { BlockLogs } from '../subscriptions/block-logs.js';
import type { ChainFeed } from '../subscriptions/chain-feed.js';
import { LogMatcher } from '../subscriptions/log-matcher.js';
import { Quota } from '../subscriptions/quota.js';
import { randomId } from '../subscriptions/random-id.js';
import { ChainWatch } from './chain-watch.js';
import { collectLogs } from './collect-logs.js';
import { DEFAULT_FILTER_LIMITS, type FilterLimits } from './filter-limits.js';
import type { BlockFilter, Filter, LogFilter } from './filter.js';

/** What a filter is for. */
export type FilterTopic =
  { readonly kind: 'blocks' | 'pendingTransactions' } | { readonly kind: 'logs'; readonly query: LogQuery };

/** What filters rest on. */
export interface FiltersOptions {
  readonly backend: Backend;
  readonly feed: ChainFeed;
  readonly blockLogs: BlockLogs;
  /** A monotonic clock, milliseconds. */
  now(): number;
  readonly limits?: FilterLimits;
  readonly newId?: () => Hex;
}

/** Pause between two looks for filters that nobody polls any more. */
const SWEEP_INTERVAL_MS = 30_000;
/** Polls of one filter that may wait for each other. */
const MOST_POLLS = 16;

/**
 * All filters of this process (eth_newFilter and its like). They are in its memory only: with several replicas a client must stay with one, and they are
 * gone after a restart; a filter that is gone is -32001, and clients make a new one.
 *
 * As with geth a filter tells what happened since it was made, whatever its fromBlock; logs of before are had by eth_getFilterLogs.
 */
export class Filters {
  /** In the order of their last poll. */
  readonly #filters = new Map<string, Filter>();
  readonly #options: FiltersOptions;
  readonly #limits: FilterLimits;
  readonly #quota: Quota;
  readonly #terms: Quota;
  readonly #watch: ChainWatch;
  readonly #timer: NodeJS.Timeout;

  constructor(options: FiltersOptions) {
    this.#options = options;
    this.#limits = options.limits ?? DEFAULT_FILTER_LIMITS;
    this.#quota = new Quota(this.#limits.filters);
    this.#terms = new Quota(this.#limits.terms);
    this.#watch = new ChainWatch(options.feed);
    this.#timer = setInterval(() => this.sweep(), SWEEP_INTERVAL_MS).unref();
  }

  /** Filters there are now, for metrics. */
  count(): number {
    return this.#filters.size;
  }

  /**
   * Makes a filter. It tells what happens from now on.
   *
   * @param ip whom it counts for.
   * @throws RpcError -32005 for too many of them, or what the backend throws.
   */
  async create(ip: string, topic: FilterTopic): Promise<Hex> {
    this.sweep();
    const matcher = topic.kind === 'logs' ? new LogMatcher(topic.query) : null;
    const release = this.#hold(ip, matcher);
    try {
      const { heads, pending } = this.#watch;
      const cursor = topic.kind === 'pendingTransactions' ? pending.end : heads.end;
      const base = {
        id: (this.#options.newId ?? randomId)(),
        ip,
        cursor,
        baseline: await this.#newestBlock(),
        polledAt: this.#options.now(),
        turn: Promise.resolve(),
        polls: 0,
        release,
      };
      const filter: Filter =
        topic.kind === 'logs' && matcher !== null
          ? { ...base, kind: 'logs', query: topic.query, matcher }
          : { ...base, kind: topic.kind === 'pendingTransactions' ? 'pendingTransactions' : 'blocks' };
      this.#filters.set(filter.id, filter);
      return filter.id;
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * What happened since the last poll: logs, hashes of blocks, or hashes of pending transactions.
   *
   * @throws RpcError -32001 for a filter that is gone, or what the backend throws; then the next poll tells the same again.
   */
  async changes(id: string): Promise<readonly unknown[]> {
    const filter = this.#find(id);
    if (filter.polls >= MOST_POLLS)
      throw new RpcError('RATE_LIMIT_EXCEEDED', 'wait for the answer before the filter is polled again');
    filter.polls += 1;
    const before = filter.turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    filter.turn = promise;
    try {
      await before;
      return await this.#poll(filter);
    } finally {
      filter.polls -= 1;
      resolve();
    }
  }

  /**
   * All logs a filter means, also those of before it was made.
   *
   * @throws RpcError -32001 for a filter that is gone or is not for logs, or what the backend throws.
   */
  async logs(id: string): Promise<unknown> {
    const filter = this.#find(id);
    if (filter.kind !== 'logs') throw new RpcError('RESOURCE_NOT_FOUND', 'the filter is not for logs');
    return await this.#options.backend.request('eth_getLogs', [filter.query], filter.ip);
  }

  /** Ends a filter. @returns false if there is none with this id. */
  uninstall(id: string): boolean {
    const filter = this.#filters.get(id);
    if (filter === undefined) return false;
    this.#drop(filter);
    return true;
  }

  /** Forgets filters that were not polled for long. */
  sweep(): void {
    for (const filter of this.#filters.values()) {
      if (!this.#isExpired(filter)) break;
      this.#drop(filter);
    }
  }

  /** Forgets all filters. */
  close(): void {
    clearInterval(this.#timer);
    for (const filter of this.#filters.values()) this.#drop(filter);
  }

  #hold(ip: string, matcher: LogMatcher | null): () => void {
    const terms = matcher?.terms ?? 0;
    const refused = this.#quota.take(ip, 1);
    if (refused !== null) throw tooMany(refused === 'each' ? 'filters of this client' : 'filters in all');
    if (this.#terms.take(ip, terms) !== null) {
      this.#quota.give(ip, 1);
      throw tooMany('addresses and topics in filters');
    }
    this.#watch.hold();
    const unwatch = matcher === null ? null : this.#options.blockLogs.watch(matcher);
    return () => {
      unwatch?.();
      this.#watch.letGo();
      this.#terms.give(ip, terms);
      this.#quota.give(ip, 1);
    };
  }

  #find(id: string): Filter {
    const filter = this.#filters.get(id);
    if (filter === undefined || this.#isExpired(filter))
      throw gone('it was not polled for long, or this gateway never made it');
    filter.polledAt = this.#options.now();
    this.#filters.delete(id);
    this.#filters.set(id, filter);
    return filter;
  }

  #isExpired({ polledAt }: Filter): boolean {
    return this.#options.now() - polledAt >= this.#limits.lifetimeMs;
  }

  #drop(filter: Filter): void {
    this.#filters.delete(filter.id);
    filter.release();
  }

  async #poll(filter: Filter): Promise<readonly unknown[]> {
    const { heads, pending } = this.#watch;
    if (filter.kind === 'pendingTransactions') {
      const hashes = pending.since(filter.cursor);
      filter.cursor = pending.end;
      return hashes;
    }
    // Who has seen a receipt expects its logs, though the backend may not have told of the block yet.
    const newest = await this.#newestBlock();
    if (newest > filter.baseline) await this.#watch.reaches(newest, this.#limits.patienceMs);
    if (filter.kind === 'logs') await this.#options.blockLogs.settled();
    if (this.#filters.get(filter.id) !== filter) throw gone('it was uninstalled');
    return await this.#headChanges(filter, heads.end);
  }

  async #headChanges(filter: LogFilter | BlockFilter, end: number): Promise<readonly unknown[]> {
    const change = this.#watch.heads.since(filter.cursor);
    if (change === null) throw this.#lost(filter);
    const { removed } = change;
    const added =
      removed.length > 0 ? change.added : change.added.filter(({ block }) => block.number > filter.baseline);
    if (filter.kind === 'logs') {
      const collected = await collectLogs(filter, { removed, added }, end, this.#options);
      if (collected === null) throw this.#lost(filter);
      filter.cursor = collected.cursor;
      if (removed.length > 0) filter.baseline = -1;
      return collected.logs;
    }
    filter.cursor = end;
    if (removed.length > 0) filter.baseline = -1;
    return added.map(({ block }) => block.hash);
  }

  #lost(filter: Filter): RpcError {
    this.uninstall(filter.id);
    return gone('too much happened since it was polled');
  }

  async #newestBlock(): Promise<number> {
    return Number(await this.#options.backend.request('eth_blockNumber', []));
  }
}

function gone(why: string): RpcError {
  return new RpcError('RESOURCE_NOT_FOUND', `no such filter: ${why}; make a new one`);
}

function tooMany(what: string): RpcError {
  return new RpcError('RATE_LIMIT_EXCEEDED', `too many ${what}; uninstall some, or try again when some have expired`);
}
