import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { PartnerChainError } from '@causeway/partner-chain';

/**
 * Where a call runs: in any of the chain's threads; in a single one of them, so that long calls leave the others to
 * short calls; on this thread, one long call at a time; or immediately.
 */
type CallCost = 'threads' | 'one thread' | 'heavy' | 'cheap';

/** Calls whose params and results are also checked and encoded in the chain's threads. */
const WHOLE_CALLS = new Map<string, CallCost>([
  ['eth_call', 'threads'],
  ['eth_estimateGas', 'threads'],
  ['eth_createAccessList', 'one thread'],
  ['eth_simulateV1', 'one thread'],
  ['eth_getProof', 'one thread'],
  ['debug_traceCall', 'one thread'],
]);
/** Longer than the creation of the largest contract (2 × 48 KiB of hex): many overrides, or a long access list. */
const LONG_PARAMS = 128 * 1024;

export function isWholeCall(method: string): boolean {
  return WHOLE_CALLS.has(method);
}

/** @param params JSON text. A call with long params is a long call. */
export function weighWholeCall(method: string, params: string): CallCost {
  return params.length > LONG_PARAMS ? 'one thread' : (WHOLE_CALLS.get(method) ?? 'one thread');
}

const COST_OF: Readonly<Record<string, CallCost>> = {
  eth_getLogs: 'threads',
  eth_feeHistory: 'heavy',
  eth_getBlockReceipts: 'heavy',
  debug_getRawBlock: 'heavy',
  debug_getRawReceipts: 'heavy',
  debug_traceTransaction: 'heavy',
  debug_traceBlockByNumber: 'heavy',
  debug_traceBlockByHash: 'heavy',
  txpool_content: 'heavy',
  txpool_contentFrom: 'heavy',
  txpool_inspect: 'heavy',
  txpool_status: 'heavy',
};
const BLOCK_METHODS = new Set(['eth_getBlockByNumber', 'eth_getBlockByHash']);
/** A receipt with more logs takes long; a transaction can emit forty thousand. */
export const MANY_LOGS = 256;

/** Estimates the cost of any other call. @param logCount the number of logs of the transaction with a hash. */
export function estimateCost(
  method: string,
  params: readonly unknown[],
  logCount: (hash: unknown) => number,
): CallCost {
  // Blocks with full transactions, and the pending block, which requires iterating over the pool.
  if (BLOCK_METHODS.has(method)) return params[1] === true || params[0] === 'pending' ? 'heavy' : 'cheap';
  if (method === 'eth_getTransactionReceipt') return logCount(params[0]) > MANY_LOGS ? 'heavy' : 'cheap';
  const options = params[1] as { readonly tracer?: string } | undefined;
  // Traces of the state execute the block again.
  if (method.startsWith('debug_trace') && options?.tracer === 'prestateTracer') return 'one thread';
  return COST_OF[method] ?? 'cheap';
}

/** Returned by a call that turns out to be heavy; it is then queued as a heavy call. */
export class LongTask {
  constructor(readonly run: () => Promise<unknown>) {}
}

/** A client can queue about as many calls as the rate limits admit within the maximum wait. */
const LIMITS = { maxWaitingPerClient: 1_000, maxWaitMs: 10_000, now: () => performance.now() };

/** Schedules the costly calls of the embedded chain, so that neither other clients nor cheap calls wait for them. */
export class CallScheduler {
  /** A few more than the number of threads, so that none is idle between two calls. */
  private readonly threads = new FairQueue({ ...LIMITS, maxRunning: Math.max(2, availableParallelism()) + 1 });
  private readonly oneThread = new FairQueue({ ...LIMITS, maxRunning: 1 });
  private readonly heavy = new FairQueue({ ...LIMITS, maxRunning: 1 });

  /** Executes a call, after queueing if it is costly. */
  async run<T>(cost: CallCost, client: string, task: () => T | Promise<T>): Promise<T> {
    if (cost === 'cheap') return await task();
    if (cost === 'threads') return await this.threads.run(client, task);
    if (cost === 'one thread') return await this.oneThread.run(client, task);
    return await this.heavy.run(client, async () => {
      // Lets all other pending work of this thread run first.
      await setImmediate();
      return await task();
    });
  }

  close(): void {
    this.threads.close();
    this.oneThread.close();
    this.heavy.close();
  }
}

interface FairQueueOptions {
  readonly maxRunning: number;
  readonly maxWaitingPerClient: number;
  /** How long a task can wait, in milliseconds. A client that waits longer has usually given up. */
  readonly maxWaitMs: number;
  now(): number;
}

interface WaitingTask {
  readonly since: number;
  readonly start: () => void;
  readonly reject: (error: PartnerChainError) => void;
}

/** Runs a limited number of tasks, round-robin by client: a client with many tasks delays only its own. */
export class FairQueue {
  /** Waiting tasks by client; the next client comes first. */
  private readonly waiting = new Map<string, WaitingTask[]>();
  private running = 0;
  private isClosed = false;

  constructor(private readonly options: FairQueueOptions) {}

  /** @throws PartnerChainError UNAVAILABLE when the client has too many tasks waiting or this one waited too long. */
  async run<T>(client: string, task: () => T | Promise<T>): Promise<T> {
    await this.acquire(client);
    try {
      return await task();
    } finally {
      this.running -= 1;
      this.startNext();
    }
  }

  close(): void {
    this.isClosed = true;
    for (let task = this.take(); task !== null; task = this.take()) task.reject(closing());
  }

  private acquire(client: string): Promise<void> {
    if (this.isClosed) return Promise.reject(closing());
    const tasks = this.waiting.get(client) ?? [];
    if (tasks.length >= this.options.maxWaitingPerClient) {
      return Promise.reject(busy('too many of your calls are waiting'));
    }
    const { promise, resolve: start, reject } = Promise.withResolvers<void>();
    tasks.push({ since: this.options.now(), start, reject });
    this.waiting.set(client, tasks);
    this.startNext();
    return promise;
  }

  private startNext(): void {
    while (this.running < this.options.maxRunning) {
      const task = this.take();
      if (task === null) return;
      if (this.options.now() - task.since > this.options.maxWaitMs) {
        task.reject(busy('the call waited too long in the queue'));
      } else {
        this.running += 1;
        task.start();
      }
    }
  }

  /** Takes the first task of the next client. Its other tasks come after the first tasks of all other clients. */
  private take(): WaitingTask | null {
    for (const [client, tasks] of this.waiting) {
      const first = tasks.shift();
      this.waiting.delete(client);
      if (tasks.length > 0) this.waiting.set(client, tasks);
      if (first !== undefined) return first;
    }
    return null;
  }
}

function busy(why: string): PartnerChainError {
  return new PartnerChainError('UNAVAILABLE', `${why}; try again shortly`);
}

function closing(): PartnerChainError {
  return new PartnerChainError('UNAVAILABLE', 'the chain is closing');
}
