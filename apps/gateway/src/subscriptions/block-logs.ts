import type { Backend, HeadEvent, RpcHeader } from '../backends/backend.js';
import { whileHeld, type HeadFeed } from './head-feed.js';
import { fetchBlockLogs, type ChainLog } from './logs.js';

/** Receives logs in the chain's order, each block's logs after its head. Implementations must not throw or reject. */
interface BlockLogsListener {
  /**
   * @param removed whether a reorganisation removed the logs, which then come in reverse order.
   * @returns a promise for the end of processing; the next block follows then.
   */
  onLogs(logs: readonly ChainLog[], removed: boolean): Promise<void>;
  /** Logs could not be read, so the listener has a gap. */
  onLost(problem: unknown): void;
}

/** A block whose logs are not read yet. */
interface Job {
  readonly header: RpcHeader;
  isCancelled: boolean;
}

/** Milliseconds before each further attempt to read the logs of a block. */
const RETRY_DELAYS_MS = [100, 200, 400, 800, 1_600];
/** Maximum blocks that wait for their logs to be read. */
const MAX_WAITING = 256;
/** Blocks whose logs are cached: both branches of a reorganisation of 64 blocks, the deepest expected. */
const MAX_BLOCKS = 128;
/** Maximum cached characters of JSON; the newest block is cached whatever its size. */
const MAX_SIZE = 32 * 1024 * 1024;

/** Reads the logs of new blocks once for all watchers, and keeps those of recent blocks for reorganisations. */
export class BlockLogs {
  private readonly listeners = new Set<BlockLogsListener>();
  /** Logs by the hash of their block in lower case, oldest first. */
  private readonly recent = new Map<string, readonly ChainLog[]>();
  private recentSize = 0;
  /** By the hash of the block. */
  private readonly waiting = new Map<string, Job>();
  /** The last task; tasks run sequentially. */
  private lastTask: Promise<void> = Promise.resolve();
  /** Number of the first block since the last gap. */
  private since: number | null = null;
  /** Reads logs from the next block on. @returns a function that ends it, to be called once. */
  readonly watch = whileHeld(() => {
    const leave = this.feed.follow({ onHead: (event) => this.onHead(event), onGap: () => this.forget() });
    return () => {
      leave();
      this.forget();
    };
  });

  constructor(
    private readonly backend: Backend,
    private readonly feed: HeadFeed,
    private readonly wait: (ms: number) => Promise<void>,
  ) {}

  listen(listener: BlockLogsListener): void {
    this.listeners.add(listener);
  }

  /** Returns the logs of a recent block, canonical or not; null if unknown. */
  of(hash: string): readonly ChainLog[] | null {
    return this.recent.get(hash.toLowerCase()) ?? null;
  }

  /** Resolves when the logs of all blocks so far are delivered or abandoned. */
  settled(): Promise<void> {
    return this.lastTask;
  }

  private onHead({ header, removed }: HeadEvent): void {
    for (const gone of removed) {
      const job = this.waiting.get(gone.hash);
      if (job === undefined) this.enqueue(() => this.remove(gone));
      // Its logs were not delivered, so no removal is needed.
      else this.cancel(job);
    }
    const job = { header, isCancelled: false };
    this.waiting.set(header.hash, job);
    this.enqueue(() => this.read(job));
    if (this.waiting.size > MAX_WAITING) {
      this.forget();
      this.lose(new Error(`More than ${MAX_WAITING} blocks waited for their logs to be read`));
    }
  }

  private enqueue(task: () => Promise<void>): void {
    this.lastTask = this.lastTask.then(task);
  }

  private cancel(job: Job): void {
    job.isCancelled = true;
    this.waiting.delete(job.header.hash);
  }

  private async remove({ hash, number }: RpcHeader): Promise<void> {
    const logs = this.of(hash);
    if (logs !== null) {
      await this.deliver(logs.toReversed(), true);
    } else if (this.since !== null && Number(number) >= this.since) {
      this.lose(new Error(`The logs of the removed block ${Number(number)} are no longer cached`));
    }
  }

  private async read(job: Job): Promise<void> {
    const { header } = job;
    const logs = job.isCancelled ? null : await this.fetch(job);
    if (job.isCancelled) return;
    // Before the delivery: from here on, a reorganisation must remove these logs.
    this.waiting.delete(header.hash);
    if (logs === null) return;
    this.keep(header.hash.toLowerCase(), logs);
    this.since ??= Number(header.number);
    await this.deliver(logs, false);
  }

  /**
   * Retries, because a node may not yet know a block announced by another node. Returns null after the last attempt.
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
    // A block removed by a reorganisation meanwhile does not count as lost.
    if (!job.isCancelled) this.lose(problem);
    return null;
  }

  private keep(hash: string, logs: readonly ChainLog[]): void {
    this.drop(hash);
    this.recent.set(hash, logs);
    this.recentSize += sumSizes(logs);
    for (const oldest of this.recent.keys()) {
      if (this.recent.size <= MAX_BLOCKS && (this.recentSize <= MAX_SIZE || this.recent.size === 1)) break;
      this.drop(oldest);
    }
  }

  private drop(hash: string): void {
    this.recentSize -= sumSizes(this.recent.get(hash) ?? []);
    this.recent.delete(hash);
  }

  private async deliver(logs: readonly ChainLog[], removed: boolean): Promise<void> {
    if (logs.length === 0) return;
    await Promise.all([...this.listeners].map((listener) => listener.onLogs(logs, removed)));
  }

  private lose(problem: unknown): void {
    this.since = null;
    for (const listener of this.listeners) listener.onLost(problem);
  }

  private forget(): void {
    for (const job of this.waiting.values()) this.cancel(job);
    this.recent.clear();
    this.recentSize = 0;
    this.since = null;
  }
}

function sumSizes(logs: readonly ChainLog[]): number {
  return logs.reduce((sum, { size }) => sum + size, 0);
}
