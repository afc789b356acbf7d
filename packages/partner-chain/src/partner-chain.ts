import { availableParallelism } from 'node:os';
import { ChainReader, type StoredBlock } from './blocks/chain-reader.js';
import { chainOptionsSchema, type ChainOptions, type ChainOptionsInput } from './chain/chain-options.js';
import { openChainDatabase } from './db/open-database.js';
import { PartnerChainError } from './errors.js';
import type { PendingBounds, PendingTransaction } from './mempool/mempool.js';
import { CallPool, type CallPoolOptions } from './workers/call-pool.js';
import { CALL_MODULE, ENGINE_MODULE, WorkerThread, type ThreadError } from './workers/worker-thread.js';

/** The chain's events, in order. */
export interface PartnerChainListener {
  /** A block was added. It is on disk, and later reads include it. */
  onBlock(block: { readonly number: number; readonly hash: `0x${string}` }): void;
  onPendingTransaction(hash: `0x${string}`): void;
  /** A transaction was dropped because the EVM failed on it: a bug to report. Block production continues. */
  onFault(error: Error): void;
  /** The chain cannot make more blocks because of its own bug. Mined blocks are safe and can be read. */
  onFailure(error: Error): void;
}

const DEFAULT_CALLS: CallPoolOptions = {
  module: CALL_MODULE,
  threads: Math.max(2, availableParallelism() - 1),
  timeoutMs: 5_000,
  queue: 1_000,
};

/**
 * The embedded partner chain. One thread writes, several threads run calls, and the caller's thread reads.
 *
 * @example
 * const chain = await PartnerChain.open({ dataDirectory: './partner' });
 * const hash = await chain.submit(signedTransaction);
 * await chain.close();
 */
export class PartnerChain {
  private readonly listeners = new Set<PartnerChainListener>();
  private closing: Promise<void> | null = null;

  private constructor(
    readonly options: ChainOptions,
    /** Reads blocks, transactions, receipts, logs, state. */
    readonly reader: ChainReader,
    private readonly engine: WorkerThread,
    private readonly calls: CallPool,
  ) {
    this.run = calls.run.bind(calls);
  }

  /**
   * Opens or creates the chain in a directory, and starts block production.
   *
   * @throws PartnerChainError UNUSABLE_DIRECTORY if the directory holds another chain, is used by another process or is
   *   a copy, or its newest block is in the future.
   */
  static async open(input: ChainOptionsInput, calls: Partial<CallPoolOptions> = {}): Promise<PartnerChain> {
    const options = chainOptionsSchema.parse(input);
    const earlyEvents: [string, unknown][] = [];
    const target: { chain: PartnerChain | null } = { chain: null };
    const engine = new WorkerThread(ENGINE_MODULE, input, (event, payload) => {
      if (target.chain === null) earlyEvents.push([event, payload]);
      else target.chain.notify(event, payload);
    });
    try {
      await engine.request('started');
    } catch (error) {
      await engine.terminate();
      throw error;
    }
    const { dataDirectory, chainId, lazyAccountGas, confirmations } = options;
    const reader = new ChainReader(openChainDatabase(dataDirectory, { readOnly: true }));
    const pool = new CallPool(
      { dataDirectory, chainId, lazyAccountGas, confirmations },
      { ...DEFAULT_CALLS, ...calls },
    );
    target.chain = new PartnerChain(options, reader, engine, pool);
    for (const [event, payload] of earlyEvents) target.chain.notify(event, payload);
    void target.chain.watch();
    return target.chain;
  }

  /** Number of the newest block. */
  headNumber(): number {
    const head = this.reader.headNumber();
    if (head === null) throw new PartnerChainError('UNAVAILABLE', 'the chain has no blocks');
    return head;
  }

  /**
   * Adds a signed transaction to the pool. Answers even while a block is executed.
   *
   * @returns its hash.
   * @throws PartnerChainError TRANSACTION_REJECTED with the reason.
   */
  submit(raw: Uint8Array): Promise<`0x${string}`> {
    return this.engine.request('submit', raw);
  }

  /**
   * Waits for a submitted transaction's block if the chain mines on transaction (an interval of 0). Does not wait for a
   * transaction after a nonce gap.
   */
  async mined(hash: `0x${string}`): Promise<void> {
    if (this.options.blockIntervalMs === 0) await this.engine.request('mined', hash);
  }

  /** Makes a block now, empty if no transaction is pending. */
  mine(): Promise<void> {
    return this.engine.request('mine');
  }

  /** Takes a snapshot of a development chain. @returns its number. */
  snapshot(): Promise<number> {
    return this.engine.request('snapshot');
  }

  /**
   * Reverts to a snapshot. Removes later blocks and snapshots, and all pending transactions.
   *
   * @returns the removed blocks, newest first; null for an unknown snapshot.
   */
  async revertTo(snapshot: number): Promise<StoredBlock[] | null> {
    const removed = await this.engine.request<StoredBlock[] | null>('revertTo', snapshot);
    this.reader.database.root.resetReadTxn();
    return removed;
  }

  /** Advances the clock of a development chain. @returns how many seconds it is ahead. */
  increaseTime(seconds: number): Promise<number> {
    return this.engine.request('increaseTime', seconds);
  }

  /**
   * Sets the time of a development chain's next block, in seconds since 1970.
   *
   * @throws PartnerChainError INVALID_PARAMS for a time before the newest block.
   */
  setNextTimestamp(timestamp: number): Promise<void> {
    return this.engine.request('setNextTimestamp', timestamp);
  }

  /** Returns an account's next nonce, including pending transactions. Answers even while a block is executed. */
  pendingNonce(address: Uint8Array): Promise<bigint> {
    return this.engine.request('pendingNonce', address);
  }

  pendingTransaction(hash: `0x${string}`): Promise<PendingTransaction | null> {
    return this.engine.request('pendingTransaction', hash);
  }

  /**
   * Lists transactions that can be in the next block, within the bounds. Each sender's transactions are in order; the
   * senders are not.
   */
  pendingTransactions(bounds: PendingBounds): Promise<PendingTransaction[]> {
    return this.engine.request('pendingTransactions', bounds);
  }

  /** Counts the `pendingTransactions` within the same bounds. Only the number is sent between threads. */
  pendingCount(bounds: PendingBounds): Promise<number> {
    return this.engine.request('pendingCount', bounds);
  }

  /** Returns the item of `pendingTransactions` at an index, within the same bounds, or null. */
  pendingTransactionAt(index: number, bounds: PendingBounds): Promise<PendingTransaction | null> {
    return this.engine.request('pendingTransactionAt', index, bounds);
  }

  /**
   * Runs calls, traces, proofs and searches in separate threads, on the state after a block: `call`, `estimateGas`,
   * `createAccessList`, `simulateBlocks`, `proveAccount`, `findLogs` and others. For a search, the block is the newest
   * block of its range. `answer` runs a client's encoded call with the API of the threads' module; its block is the
   * newest block.
   *
   * @throws PartnerChainError EXECUTION_REVERTED with the return data of a call; TOO_MANY_RESULTS for a search;
   *   UNAVAILABLE if it takes too long.
   */
  readonly run: CallPool['run'];

  /** Subscribes to the chain's events until the returned function is called. */
  listen(listener: PartnerChainListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Finishes the current block and closes the chain. Pending transactions are lost: senders must submit them again. */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    this.listeners.clear();
    await this.calls.close();
    await this.engine.request('close').catch((error: unknown) => {
      // A thread that ended with an error has nothing to close.
      if (!(error instanceof PartnerChainError && error.code === 'UNAVAILABLE')) throw error;
    });
    await this.engine.ended;
    await this.reader.database.root.close();
  }

  /** Reports an unexpected end of the writer's thread, such as out of memory, after which no more blocks are made. */
  private async watch(): Promise<void> {
    await this.engine.ended;
    if (this.closing === null)
      this.notify('failure', { code: null, message: "the writer's thread ended", data: undefined });
  }

  private notify(event: string, payload: unknown): void {
    // Later reads are at least as new as the event.
    this.reader.database.root.resetReadTxn();
    for (const listener of this.listeners) {
      if (event === 'block') listener.onBlock(payload as { number: number; hash: `0x${string}` });
      if (event === 'pending') listener.onPendingTransaction(payload as `0x${string}`);
      if (event === 'fault') listener.onFault(new Error((payload as ThreadError).message));
      if (event === 'failure') listener.onFailure(new Error((payload as ThreadError).message));
    }
  }
}
