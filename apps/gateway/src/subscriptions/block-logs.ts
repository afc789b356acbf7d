import type { Backend, HeadEvent, RpcHeader } from '../backends/backend.js';
import type { BlockOfLogs } from './block-of-logs.js';
import { bloomOf } from './bloom-of.js';
import type { ChainFeed } from './chain-feed.js';
import type { ChainFollower } from './chain-follower.js';
import type { ChainLog } from './chain-log.js';
import { fetchBlockLogs } from './fetch-block-logs.js';
import type { LogMatcher } from './log-matcher.js';
import { RecentBlocks } from './recent-blocks.js';

/** Hears of logs in the chain's order, each block's after its head was told. It must not throw, nor reject. */
export interface BlockLogsListener {
  /**
   * @param removed whether a reorganisation took them out of the chain; they come in the reverse order then.
   * @returns once the listener is done with the block; the next comes after that.
   */
  onLogs(block: BlockOfLogs, removed: boolean): Promise<void>;
  /** Logs could not be had, and why: from here on a listener's view has a gap. */
  onLost(problem: unknown): void;
}

interface Job {
  readonly kind: 'added' | 'removed';
  readonly header: RpcHeader;
  readonly done: PromiseWithResolvers<void>;
  isCancelled: boolean;
}

/** Milliseconds before each further attempt to read a block's logs. */
const RETRY_DELAYS_MS = [100, 200, 400, 800, 1_600];
/** Blocks that may wait for their logs to be read. */
const MOST_WAITING = 256;

/** Reads the logs of new blocks, once for everybody who wants some, and remembers those of the newest blocks. */
export class BlockLogs {
  readonly #matchers = new Set<LogMatcher>();
  readonly #listeners = new Set<BlockLogsListener>();
  readonly #recent = new RecentBlocks();
  #queue: Job[] = [];
  #isDraining = false;
  /** Number of the first block that was told without a gap since. */
  #since: number | null = null;
  #leave: (() => void) | null = null;

  /** @param wait resolves after so many milliseconds. */
  constructor(
    private readonly backend: Backend,
    private readonly feed: ChainFeed,
    private readonly wait: (ms: number) => Promise<void>,
  ) {}

  /** From the next block on logs that match are read. @returns what ends it; to be called once. */
  watch(matcher: LogMatcher): () => void {
    this.#matchers.add(matcher);
    this.#leave ??= this.feed.follow(this.#follower());
    return () => {
      this.#matchers.delete(matcher);
      if (this.#matchers.size > 0) return;
      this.#leave?.();
      this.#leave = null;
      this.#forget();
    };
  }

  listen(listener: BlockLogsListener): void {
    this.#listeners.add(listener);
  }

  /** The logs of a block told lately, canonical or not, that those who watch may want; null if they are not known (any more). */
  of(hash: string): BlockOfLogs | null {
    return this.#recent.get(hash.toLowerCase());
  }

  /** Resolves when the logs of all blocks told so far are read or given up. */
  async settled(): Promise<void> {
    await this.#queue.at(-1)?.done.promise;
  }

  #follower(): ChainFollower {
    return {
      onHead: (event) => this.#onHead(event),
      onGap: () => this.#forget(),
      onPendingTransaction: () => undefined,
      onSyncing: () => undefined,
    };
  }

  #onHead({ header, removed }: HeadEvent): void {
    for (const gone of removed) {
      const waiting = this.#queue.findLast(({ kind, header: { hash } }) => kind === 'added' && hash === gone.hash);
      // Its logs were never told, so there is nothing to take back.
      if (waiting !== undefined && !waiting.isCancelled) waiting.isCancelled = true;
      else this.#add('removed', gone);
    }
    this.#add('added', header);
    if (this.#queue.length > MOST_WAITING) {
      this.#forget();
      this.#lose(new Error(`More than ${MOST_WAITING} blocks waited for their logs to be read`));
    }
    void this.#drain();
  }

  #add(kind: Job['kind'], header: RpcHeader): void {
    this.#queue.push({ kind, header, done: Promise.withResolvers(), isCancelled: false });
  }

  async #drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    for (let job = this.#queue[0]; job !== undefined; job = this.#queue[0]) {
      if (job.kind === 'removed') await this.#takeBack(job.header);
      else if (!job.isCancelled) await this.#read(job);
      this.#finish(job);
    }
    this.#isDraining = false;
  }

  #finish(job: Job): void {
    if (this.#queue[0] === job) this.#queue.shift();
    job.done.resolve();
  }

  async #takeBack(header: RpcHeader): Promise<void> {
    const block = this.of(header.hash);
    if (block !== null) {
      await this.#tell({ ...block, logs: block.logs.toReversed() }, true);
    } else if (this.#since !== null && Number(header.number) >= this.#since) {
      this.#lose(
        new Error(`The logs of block ${Number(header.number)}, which ceased to be canonical, are not known any more`),
      );
    }
  }

  async #read(job: Job): Promise<void> {
    const bloom = bloomOf(job.header);
    const isWanted = [...this.#matchers].some((matcher) => matcher.mayMatchIn(bloom));
    const logs = isWanted ? await this.#fetch(job) : [];
    if (job.isCancelled || logs === null) return;
    // No job any more: from here on a reorganisation has something to take back.
    this.#finish(job);
    const number = Number(job.header.number);
    const size = logs.reduce((sum, log) => sum + log.size, 0);
    const block = { hash: job.header.hash.toLowerCase(), number, logs, size };
    this.#recent.add(block);
    this.#since ??= number;
    await this.#tell(block, false);
  }

  /** Tries several times, as a node that is asked may not know yet what another has shown. Null when it was in vain. */
  async #fetch(job: Job): Promise<readonly ChainLog[] | null> {
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
    // A block that a reorganisation has taken back meanwhile is no loss.
    if (!job.isCancelled) this.#lose(problem);
    return null;
  }

  async #tell(block: BlockOfLogs, removed: boolean): Promise<void> {
    if (block.logs.length === 0) return;
    await Promise.all([...this.#listeners].map((listener) => listener.onLogs(block, removed)));
  }

  #lose(problem: unknown): void {
    this.#since = null;
    for (const listener of this.#listeners) listener.onLost(problem);
  }

  #forget(): void {
    for (const job of this.#queue) {
      job.isCancelled = true;
      job.done.resolve();
    }
    this.#queue = [];
    this.#recent.clear();
    this.#since = null;
  }
}
