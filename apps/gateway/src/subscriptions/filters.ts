import { randomBytes } from 'node:crypto';
import { toHex, type Hex } from 'viem';
import type { Backend } from '../backends/backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import type { ClientBudget } from '../client-budget.js';
import type { LogQuery } from '../schemas/log-filter.js';
import type { BlockLogs } from './block-logs.js';
import { ChangeLog, type ChangedBlock, type HeadChanges } from './change-log.js';
import type { HeadFeed } from './head-feed.js';
import { LogMatcher, readLogs } from './logs.js';

type FilterTopic =
  { readonly kind: 'blocks' | 'pendingTransactions' } | { readonly kind: 'logs'; readonly query: LogQuery };

interface FiltersOptions {
  readonly backend: Backend;
  readonly feed: HeadFeed;
  readonly blockLogs: BlockLogs;
  readonly budget: ClientBudget;
  now(): number;
  /** Milliseconds that a poll waits for a block that the backend has but has not announced yet. */
  readonly blockTimeoutMs?: number;
}

interface Filter {
  readonly id: Hex;
  readonly ip: string;
  readonly kind: FilterTopic['kind'];
  /** The logs to match; null for other kinds. */
  readonly wanted: { readonly query: LogQuery; readonly matcher: LogMatcher } | null;
  /** Position in the change log up to which changes were reported. */
  cursor: number;
  /** The newest block when the filter was made. Blocks up to it are new only after a reorganisation. */
  baseline: number;
  polledAt: number;
  /** The last poll of this filter, whose polls run sequentially, and their number. */
  lastPoll: Promise<unknown>;
  polls: number;
  readonly releases: readonly (() => void)[];
}

/** Counted from the last poll, as in geth. */
const LIFETIME_MS = 5 * 60_000;
const BLOCK_TIMEOUT_MS = 2_000;
const SWEEP_INTERVAL_MS = 30_000;
/** Maximum queued polls of one filter. */
const MAX_POLLS = 16;
/** Logs after which a poll adds no further block; the next poll continues there. */
const ENOUGH_LOGS = 10_000;
/** Maximum blocks per request when their logs are not in memory. */
const MAX_RANGE = 128;

/**
 * All filters of this process (eth_newFilter and the like). They are in memory, so behind a load balancer a client must
 * stay with one gateway. A filter reports changes since its creation, whatever its fromBlock, as in geth.
 */
export class Filters {
  private readonly filters = new Map<string, Filter>();
  private readonly changeLog: ChangeLog;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly options: FiltersOptions) {
    this.changeLog = new ChangeLog(options.feed);
    this.timer = setInterval(() => this.sweep(), SWEEP_INTERVAL_MS).unref();
  }

  count(): number {
    return this.filters.size;
  }

  /** Makes a filter that reports changes from now on. @throws RpcError -32005 for too many filters. */
  async create(ip: string, topic: FilterTopic): Promise<Hex> {
    this.sweep();
    const { changeLog } = this;
    const { blockLogs, budget } = this.options;
    const { kind } = topic;
    const wanted = kind === 'logs' ? { query: topic.query, matcher: new LogMatcher(topic.query) } : null;
    const releases = [budget.reserve('filters', ip, wanted?.matcher.terms ?? 0), changeLog.hold()];
    if (wanted !== null) releases.push(blockLogs.watch());
    const cursor = kind === 'pendingTransactions' ? changeLog.pending.end : changeLog.headCursor;
    try {
      const baseline = await this.newestBlock();
      const [id, polledAt, lastPoll] = [randomId(), this.options.now(), Promise.resolve()];
      this.filters.set(id, { id, ip, kind, wanted, cursor, baseline, polledAt, lastPoll, polls: 0, releases });
      return id;
    } catch (error) {
      for (const release of releases) release();
      throw error;
    }
  }

  /**
   * Returns the changes since the last poll; after an error the next poll reports them again. @throws FILTER_NOT_FOUND
   */
  async changes(id: string): Promise<readonly unknown[]> {
    const filter = this.find(id);
    if (filter.polls >= MAX_POLLS) {
      throw new RpcError('RATE_LIMIT_EXCEEDED', 'wait for the response before polling the filter again');
    }
    filter.polls += 1;
    const poll = filter.lastPoll
      .then(() => this.poll(filter))
      .finally(() => {
        filter.polls -= 1;
      });
    filter.lastPoll = poll.catch(() => undefined);
    return poll;
  }

  /** Returns all logs in the range of a filter, including those from before its creation. */
  async logs(id: string): Promise<unknown> {
    const { wanted, ip } = this.find(id);
    // As in geth, a hash filter has no logs.
    if (wanted === null) throw new RpcError('FILTER_NOT_FOUND');
    return this.options.backend.request('eth_getLogs', [wanted.query], ip);
  }

  /** Ends a filter. @returns false if there is none with this id. */
  uninstall(id: string): boolean {
    const filter = this.filters.get(id);
    if (filter === undefined) return false;
    this.filters.delete(id);
    for (const release of filter.releases) release();
    return true;
  }

  sweep(): void {
    for (const filter of this.filters.values()) if (this.isExpired(filter)) this.uninstall(filter.id);
  }

  close(): void {
    clearInterval(this.timer);
    for (const id of this.filters.keys()) this.uninstall(id);
  }

  private find(id: string): Filter {
    const filter = this.filters.get(id);
    if (filter === undefined || this.isExpired(filter)) throw new RpcError('FILTER_NOT_FOUND');
    filter.polledAt = this.options.now();
    return filter;
  }

  private isExpired({ polledAt }: Filter): boolean {
    return this.options.now() - polledAt >= LIFETIME_MS;
  }

  private async poll(filter: Filter): Promise<readonly unknown[]> {
    const { changeLog } = this;
    if (filter.kind === 'pendingTransactions') {
      const hashes = changeLog.pending.since(filter.cursor);
      filter.cursor = changeLog.pending.end;
      return hashes;
    }
    // A client that has seen a receipt expects its logs, even if the backend has not announced the block yet.
    const newest = await this.newestBlock();
    const { blockLogs, blockTimeoutMs = BLOCK_TIMEOUT_MS } = this.options;
    if (newest > filter.baseline) await changeLog.reaches(newest, blockTimeoutMs);
    if (filter.kind === 'logs') await blockLogs.settled();
    if (this.filters.get(filter.id) !== filter) throw new RpcError('FILTER_NOT_FOUND');
    return this.headChanges(filter, changeLog.headCursor);
  }

  private async headChanges(filter: Filter, end: number): Promise<readonly unknown[]> {
    const changes = this.changeLog.headsSince(filter.cursor);
    if (changes === null) throw this.lost(filter);
    const { removed } = changes;
    const isReorganised = removed.length > 0;
    const added = isReorganised ? changes.added : changes.added.filter(({ block }) => block.number > filter.baseline);
    const { results, cursor } =
      filter.wanted === null
        ? { results: added.map(({ block }) => block.hash), cursor: end }
        : await this.logChanges(filter, filter.wanted, { removed, added }, end);
    filter.cursor = cursor;
    if (isReorganised) filter.baseline = -1;
    return results;
  }

  /** Returns the removed logs, then the new ones in order. Reads blocks that are not in memory from the backend. */
  private async logChanges(
    filter: Filter,
    { query, matcher }: NonNullable<Filter['wanted']>,
    changes: HeadChanges,
    end: number,
  ): Promise<{ readonly results: readonly unknown[]; readonly cursor: number }> {
    const { blockLogs } = this.options;
    const results: unknown[] = [];
    for (const block of changes.removed.filter((each) => isInRange(query, each))) {
      const known = blockLogs.of(block.hash);
      if (known === null && block.number > filter.baseline) throw this.lost(filter);
      const logs = known?.toReversed().filter((log) => matcher.matches(log)) ?? [];
      for (const { value } of logs) results.push({ ...value, removed: true });
    }
    const added = changes.added.filter(({ block }) => isInRange(query, block));
    for (const [index, { block, cursor }] of added.entries()) {
      const known = blockLogs.of(block.hash);
      if (known === null) {
        const next = added.findIndex((each, at) => at > index && blockLogs.of(each.block.hash) !== null);
        const run = added.slice(index, next === -1 ? undefined : next).slice(0, MAX_RANGE);
        const logs = await this.requestLogs(filter, query, run);
        return { results: [...results, ...logs], cursor: run.at(-1)?.cursor ?? cursor };
      }
      for (const log of known) if (matcher.matches(log)) results.push(log.value);
      if (results.length >= ENOUGH_LOGS) return { results, cursor };
    }
    return { results, cursor: end };
  }

  /** @throws RpcError of the backend, or -32002 while its chain differs from the one it announced. */
  private async requestLogs({ ip }: Filter, query: LogQuery, run: HeadChanges['added']): Promise<unknown[]> {
    const expected = new Set<string>(run.map(({ block }) => block.hash.toLowerCase()));
    const range = { fromBlock: toHex(run[0]?.block.number ?? 0), toBlock: toHex(run.at(-1)?.block.number ?? 0) };
    const logs = await readLogs(await this.options.backend.request('eth_getLogs', [{ ...query, ...range }], ip));
    if (logs.some(({ blockHash }) => !expected.has(blockHash))) {
      throw new RpcError('RESOURCE_UNAVAILABLE', 'the chain is being reorganised; poll again');
    }
    return logs.map(({ value }) => value);
  }

  /**
   * Ends a filter whose changes are no longer known: its client must create another one and read the logs in between.
   */
  private lost(filter: Filter): RpcError {
    this.uninstall(filter.id);
    return new RpcError('FILTER_NOT_FOUND');
  }

  private async newestBlock(): Promise<number> {
    return Number(await this.options.backend.request('eth_blockNumber', []));
  }
}

function isInRange({ fromBlock, toBlock }: LogQuery, { number }: ChangedBlock): boolean {
  const from = fromBlock?.startsWith('0x') === true ? BigInt(fromBlock) : 0n;
  if (BigInt(number) < from) return false;
  if (toBlock === 'earliest') return number === 0;
  return toBlock?.startsWith('0x') !== true || BigInt(number) <= BigInt(toBlock);
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
