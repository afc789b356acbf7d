import type { Backend, HeadEvent, RpcHeader } from '../backends/backend.js';
import { Bloom } from './bloom.js';
import type { HeadFeed } from './head-feed.js';
import type { ChainLog, LogMatcher } from './log-matcher.js';
import { fetchBlockLogs } from './read-logs.js';

/** The logs of a block, in order. */
export interface BlockWithLogs {
  /** In lower case. */
  readonly hash: string;
  readonly number: number;
  readonly logs: readonly ChainLog[];
}

/** Receives logs in the chain's order, those of a block after its head. Implementations must not throw or reject. */
interface BlockLogsListener {
  /**
   * @param removed whether a reorganisation removed the logs; they come in reverse order then.
   * @returns when the listener has finished with the block; the next block comes after that.
   */
  onLogs(block: BlockWithLogs, removed: boolean): Promise<void>;
  /** Logs could not be read: from here on the listener has a gap. */
  onLost(problem: unknown): void;
}

interface Job {
  readonly kind: 'added' | 'removed';
  readonly header: RpcHeader;
  readonly done: PromiseWithResolvers<void>;
  isCancelled: boolean;
}

/** Milliseconds before each further attempt to read the logs of a block. */
const RETRY_DELAYS_MS = [100, 200, 400, 800, 1_600];
/** Blocks that may wait for their logs to be read. */
const MAX_WAITING = 256;
/** Blocks whose logs are kept: both branches of a reorganisation of 64 blocks, the deepest that is expected. */
const MAX_BLOCKS = 128;
/** Characters of JSON that are kept at most; the newest block is kept whatever its size. */
const MAX_SIZE = 32 * 1024 * 1024;

/** The logs of recent blocks, needed to report the logs that a reorganisation removes. */
class RecentBlocks {
  private readonly blocks = new Map<string, BlockWithLogs & { readonly size: number }>();
  private size = 0;

  get(hash: string): BlockWithLogs | null {
    return this.blocks.get(hash) ?? null;
  }

  add(block: BlockWithLogs): void {
    this.delete(block.hash);
    const size = block.logs.reduce((sum, log) => sum + log.size, 0);
    this.blocks.set(block.hash, { ...block, size });
    this.size += size;
    for (const hash of this.blocks.keys()) {
      if (this.blocks.size <= MAX_BLOCKS && (this.size <= MAX_SIZE || this.blocks.size === 1)) break;
      this.delete(hash);
    }
  }

  clear(): void {
    this.blocks.clear();
    this.size = 0;
  }

  private delete(hash: string): void {
    this.size -= this.blocks.get(hash)?.size ?? 0;
    this.blocks.delete(hash);
  }
}

/** Reads the logs of new blocks once for all watchers, and keeps those of recent blocks. */
export class BlockLogs {
  private readonly matchers = new Set<LogMatcher>();
  private readonly listeners = new Set<BlockLogsListener>();
  private readonly recent = new RecentBlocks();
  private queue: Job[] = [];
  private isDraining = false;
  /** Number of the first block since the last gap. */
  private since: number | null = null;
  private leave: (() => void) | null = null;

  /** @param wait resolves after a number of milliseconds. */
  constructor(
    private readonly backend: Backend,
    private readonly feed: HeadFeed,
    private readonly wait: (ms: number) => Promise<void>,
  ) {}

  /** Reads matching logs from the next block on. @returns what ends it; to be called once. */
  watch(matcher: LogMatcher): () => void {
    this.matchers.add(matcher);
    this.leave ??= this.feed.follow({
      onHead: (event) => this.onHead(event),
      onGap: () => this.forget(),
      onPendingTransaction: () => undefined,
      onSyncing: () => undefined,
    });
    return () => {
      this.matchers.delete(matcher);
      if (this.matchers.size > 0) return;
      this.leave?.();
      this.leave = null;
      this.forget();
    };
  }

  listen(listener: BlockLogsListener): void {
    this.listeners.add(listener);
  }

  /** The logs of a recent block, canonical or not, that some watcher may want; null if they are not known. */
  of(hash: string): BlockWithLogs | null {
    return this.recent.get(hash.toLowerCase());
  }

  /** Resolves when the logs of all blocks so far are read or given up. */
  async settled(): Promise<void> {
    await this.queue.at(-1)?.done.promise;
  }

  private onHead({ header, removed }: HeadEvent): void {
    for (const gone of removed) {
      const waiting = this.queue.findLast(({ kind, header: { hash } }) => kind === 'added' && hash === gone.hash);
      // Its logs were not delivered yet, so there is nothing to remove.
      if (waiting !== undefined && !waiting.isCancelled) waiting.isCancelled = true;
      else this.enqueue('removed', gone);
    }
    this.enqueue('added', header);
    if (this.queue.length > MAX_WAITING) {
      this.forget();
      this.lose(new Error(`More than ${MAX_WAITING} blocks waited for their logs to be read`));
    }
    void this.drain();
  }

  private enqueue(kind: Job['kind'], header: RpcHeader): void {
    this.queue.push({ kind, header, done: Promise.withResolvers(), isCancelled: false });
  }

  private async drain(): Promise<void> {
    if (this.isDraining) return;
    this.isDraining = true;
    for (let job = this.queue[0]; job !== undefined; job = this.queue[0]) {
      if (job.kind === 'removed') await this.remove(job.header);
      else if (!job.isCancelled) await this.read(job);
      this.finish(job);
    }
    this.isDraining = false;
  }

  private finish(job: Job): void {
    if (this.queue[0] === job) this.queue.shift();
    job.done.resolve();
  }

  private async remove(header: RpcHeader): Promise<void> {
    const block = this.of(header.hash);
    if (block !== null) {
      await this.deliver({ ...block, logs: block.logs.toReversed() }, true);
    } else if (this.since !== null && Number(header.number) >= this.since) {
      this.lose(new Error(`The logs of the removed block ${Number(header.number)} are not known any more`));
    }
  }

  private async read(job: Job): Promise<void> {
    const bloom = Bloom.of(job.header);
    const isWanted = [...this.matchers].some((matcher) => matcher.mayMatchIn(bloom));
    const logs = isWanted ? await this.fetch(job) : [];
    if (job.isCancelled || logs === null) return;
    // Finished before the delivery: from here on a reorganisation has something to remove.
    this.finish(job);
    const number = Number(job.header.number);
    const block = { hash: job.header.hash.toLowerCase(), number, logs };
    this.recent.add(block);
    this.since ??= number;
    await this.deliver(block, false);
  }

  /**
   * Retries, since the node that is asked may not know yet what another node has announced. Null after the last
   * attempt.
   */
  private async fetch(job: Job): Promise<readonly ChainLog[] | null> {
    let problem: unknown = null;
    for (const delay of [0, ...RETRY_DELAYS_MS]) {
      if (delay > 0) await this.wait(delay);
      if (job.isCancelled) return null;
      try {
        return await fetchBlockLogs(this.backend, job.header.hash.toLowerCase());
      } catch (error) {
        problem = error;
      }
    }
    // A block that a reorganisation has removed meanwhile is not lost.
    if (!job.isCancelled) this.lose(problem);
    return null;
  }

  private async deliver(block: BlockWithLogs, removed: boolean): Promise<void> {
    if (block.logs.length === 0) return;
    await Promise.all([...this.listeners].map((listener) => listener.onLogs(block, removed)));
  }

  private lose(problem: unknown): void {
    this.since = null;
    for (const listener of this.listeners) listener.onLost(problem);
  }

  private forget(): void {
    for (const job of this.queue) {
      job.isCancelled = true;
      job.done.resolve();
    }
    this.queue = [];
    this.recent.clear();
    this.since = null;
  }
}
