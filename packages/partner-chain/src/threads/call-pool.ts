import { ChainError } from '../errors/chain-error.js';
import type { CallRequest } from '../execution/call-request.js';
import type { LogQuery } from '../logs/find-logs.js';
import type { PlacedLog } from '../logs/log.js';
import type { CallThreadData } from './call-thread.js';
import { Thread } from './thread.js';

interface Task {
  readonly method: 'call' | 'estimateGas' | 'findLogs';
  readonly blockNumber: number;
  readonly request: CallRequest | LogQuery;
  resolve(result: never): void;
  reject(error: unknown): void;
}

/** How calls are run. */
export interface CallPoolOptions {
  readonly threads: number;
  /** Milliseconds after which a call is given up, and its thread with it. */
  readonly timeoutMs: number;
  /** Calls that may wait for a thread. */
  readonly queue: number;
}

/**
 * Runs calls in threads of their own, so that no call, however long, holds up the chain or other requests. Contract code cannot be
 * interrupted from within; a call that takes too long costs its thread.
 */
export class CallPool {
  readonly #idle: Thread[] = [];
  readonly #busy = new Set<Thread>();
  /** Resolves when a thread has been loaded. */
  readonly #ready = new WeakMap<Thread, Promise<void>>();
  readonly #queue: Task[] = [];
  #isClosed = false;

  constructor(
    private readonly data: CallThreadData,
    private readonly options: CallPoolOptions,
  ) {
    for (let i = 0; i < options.threads; i += 1) this.#idle.push(this.#open());
  }

  /**
   * @returns what the call returned.
   * @throws ChainError EXECUTION_REVERTED, or UNAVAILABLE when it took too long or too many wait.
   */
  call(blockNumber: number, request: CallRequest): Promise<Uint8Array> {
    return this.#add('call', blockNumber, request);
  }

  /** @returns gas. */
  estimateGas(blockNumber: number, request: CallRequest): Promise<bigint> {
    return this.#add('estimateGas', blockNumber, request);
  }

  /** @param blockNumber the newest block the logs may be of. */
  findLogs(blockNumber: number, query: LogQuery): Promise<PlacedLog[]> {
    return this.#add('findLogs', blockNumber, query);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const task of this.#queue.splice(0)) task.reject(new ChainError('UNAVAILABLE', 'the chain is closing'));
    await Promise.all([...this.#idle, ...this.#busy].map((thread) => this.#end(thread)));
  }

  /** Not while it is being loaded: a thread that is ended while Node loads the database's native part takes the whole process along. */
  async #end(thread: Thread): Promise<void> {
    await this.#ready.get(thread)?.catch(() => undefined);
    await thread.terminate();
  }

  #open(): Thread {
    const thread = new Thread(new URL('./call-thread.js', import.meta.url), this.data);
    const ready = thread.request<void>('ready');
    // Whoever gets the thread hears of it.
    ready.catch(() => undefined);
    this.#ready.set(thread, ready);
    return thread;
  }

  #add<T>(method: Task['method'], blockNumber: number, request: Task['request']): Promise<T> {
    if (this.#isClosed) return Promise.reject(new ChainError('UNAVAILABLE', 'the chain is closing'));
    if (this.#queue.length >= this.options.queue) {
      return Promise.reject(new ChainError('UNAVAILABLE', 'too many calls are waiting; try again shortly'));
    }
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ method, blockNumber, request, resolve, reject });
      this.#runNext();
    });
  }

  #runNext(): void {
    const thread = this.#idle.pop();
    if (thread === undefined) return;
    const task = this.#queue.shift();
    if (task === undefined) {
      this.#idle.push(thread);
      return;
    }
    this.#busy.add(thread);
    void this.#run(thread, task);
  }

  async #run(thread: Thread, task: Task): Promise<void> {
    let isLate = false;
    let timer: NodeJS.Timeout | undefined;
    let isAlive = true;
    try {
      // A call's time begins when its thread can run it: after a call that cost a thread, the next shall not pay for the new one.
      await this.#ready.get(thread);
      timer = setTimeout(() => {
        isLate = true;
        void thread.terminate();
      }, this.options.timeoutMs);
      task.resolve(await thread.request<never>(task.method, task.blockNumber, task.request));
    } catch (error) {
      isAlive = error instanceof ChainError && error.code !== 'UNAVAILABLE';
      task.reject(
        isLate ? new ChainError('UNAVAILABLE', `the call took longer than ${this.options.timeoutMs} ms`) : error,
      );
    } finally {
      clearTimeout(timer);
      this.#busy.delete(thread);
    }
    if (!isAlive) void thread.terminate();
    if (this.#isClosed) return;
    this.#idle.push(isAlive ? thread : this.#open());
    this.#runNext();
  }
}
