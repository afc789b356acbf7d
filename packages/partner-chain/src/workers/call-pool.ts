import { PartnerChainError } from '../errors.js';
import { tooManyResults, type LogQuery } from '../logs/find-logs.js';
import type { CallMethod, CallWorkerData, RequestOf, ResultOf } from './serve-calls.js';
import { WorkerThread } from './worker-thread.js';

interface Task {
  readonly method: CallMethod;
  readonly blockNumber: number;
  readonly request: RequestOf<CallMethod>;
  resolve(result: never): void;
  reject(error: unknown): void;
}

/** The options of the call pool. */
export interface CallPoolOptions {
  /** Entry module of each thread, which calls `serveCalls`. */
  readonly module: URL;
  readonly threads: number;
  /** Timeout in milliseconds, after which a call is ended together with its thread. */
  readonly timeoutMs: number;
  /** Maximum calls that wait for a thread. */
  readonly queue: number;
}

/**
 * Runs calls in worker threads, so that a long call does not block the chain or other requests. Contract code cannot be
 * interrupted, so a call that takes too long is ended together with its thread.
 */
export class CallPool {
  private readonly idle: WorkerThread[] = [];
  private readonly busy = new Set<WorkerThread>();
  /** Per thread: resolves when it has loaded. */
  private readonly ready = new WeakMap<WorkerThread, Promise<void>>();
  private readonly queue: Task[] = [];
  private isClosed = false;

  constructor(
    private readonly data: CallWorkerData,
    private readonly options: CallPoolOptions,
  ) {
    for (let i = 0; i < options.threads; i += 1) this.idle.push(this.open());
  }

  /**
   * Runs a method in a free thread, and waits for one if needed.
   *
   * @param blockNumber the block on whose state a call runs, or the newest block of a search.
   * @throws PartnerChainError EXECUTION_REVERTED for a call that reverts; UNAVAILABLE if it takes too long or too many
   *   calls are waiting.
   */
  run<Method extends CallMethod>(
    method: Method,
    blockNumber: number,
    request: RequestOf<Method>,
  ): Promise<ResultOf<Method>> {
    if (this.isClosed) return Promise.reject(new PartnerChainError('UNAVAILABLE', 'the chain is closing'));
    if (this.queue.length >= this.options.queue) {
      return Promise.reject(new PartnerChainError('UNAVAILABLE', 'too many calls are waiting; try again shortly'));
    }
    return new Promise((resolve, reject) => {
      this.queue.push({ method, blockNumber, request, resolve, reject });
      this.runNext();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const task of this.queue.splice(0)) task.reject(new PartnerChainError('UNAVAILABLE', 'the chain is closing'));
    await Promise.all([...this.idle, ...this.busy].map((thread) => this.end(thread)));
  }

  /** Ends a thread after it has loaded: ending it while Node loads the native database aborts the whole process. */
  private async end(thread: WorkerThread): Promise<void> {
    await this.ready.get(thread)?.catch(() => undefined);
    await thread.terminate();
  }

  private open(): WorkerThread {
    const thread = new WorkerThread(this.options.module, this.data);
    const ready = thread.request<void>('ready');
    // The call that receives the thread reports the error.
    ready.catch(() => undefined);
    this.ready.set(thread, ready);
    return thread;
  }

  private runNext(): void {
    const thread = this.idle.pop();
    if (thread === undefined) return;
    const task = this.queue.shift();
    if (task === undefined) {
      this.idle.push(thread);
      return;
    }
    this.busy.add(thread);
    void this.execute(thread, task);
  }

  private async execute(thread: WorkerThread, task: Task): Promise<void> {
    let isLate = false;
    let timer: NodeJS.Timeout | undefined;
    let isAlive = true;
    try {
      // The timeout starts when the thread is ready, so that it does not include the thread's start.
      await this.ready.get(thread);
      timer = setTimeout(() => {
        isLate = true;
        void thread.terminate();
      }, this.options.timeoutMs);
      task.resolve(await thread.request<never>(task.method, task.blockNumber, task.request));
    } catch (error) {
      isAlive = error instanceof PartnerChainError && error.code !== 'UNAVAILABLE';
      task.reject(isLate ? tookTooLong(task, this.options.timeoutMs) : error);
    } finally {
      clearTimeout(timer);
      this.busy.delete(thread);
    }
    if (!isAlive) void thread.terminate();
    if (this.isClosed) return;
    this.idle.push(isAlive ? thread : this.open());
    this.runNext();
  }
}

/** Creates the error of a timeout. A search of logs may succeed with half the blocks. */
function tookTooLong({ method, request }: Task, timeoutMs: number): PartnerChainError {
  const problem = `the call took longer than ${timeoutMs} ms`;
  if (method !== 'findLogs') return new PartnerChainError('UNAVAILABLE', problem);
  const query = request as LogQuery;
  const middle = Math.floor((query.fromBlock + query.toBlock - 1) / 2);
  return tooManyResults(`query timeout exceeded: ${problem}`, query, middle);
}
