import { availableParallelism } from 'node:os';
import type { CallRequest } from './execution/call-request.js';
import { chainOptionsSchema, type ChainOptions, type ChainOptionsInput } from './engine/chain-options.js';
import { ChainError } from './errors/chain-error.js';
import type { LogQuery } from './logs/find-logs.js';
import type { PlacedLog } from './logs/log.js';
import type { PendingBounds, PendingTransaction } from './mempool/pending-transaction.js';
import { openChainDatabase } from './storage/chain-database.js';
import { ChainReader } from './storage/chain-reader.js';
import { CallPool, type CallPoolOptions } from './threads/call-pool.js';
import { Thread } from './threads/thread.js';
import type { ThreadError } from './threads/thread-messages.js';

/** What the chain tells those who listen, in order. */
export interface PartnerChainListener {
  /** A block was added; whatever is read from now on knows it. */
  onBlock(block: { readonly number: number; readonly hash: `0x${string}` }): void;
  onPendingTransaction(hash: `0x${string}`): void;
  /** A transaction was dropped since the EVM broke at it: a fault to be reported. Blocks go on. */
  onFault(error: Error): void;
  /** The chain can make no more blocks, through a fault of its own; what was mined is safe and can be read. */
  onFailure(error: Error): void;
}

const DEFAULT_CALLS: CallPoolOptions = {
  threads: Math.max(2, availableParallelism() - 1),
  timeoutMs: 5_000,
  queue: 1_000,
};

/**
 * The embedded partner chain: one thread writes it, a few run calls, and whoever holds this reads it.
 *
 * @example
 * const chain = await PartnerChain.open({ dataDirectory: './partner' });
 * const hash = await chain.submit(signedTransaction);
 * await chain.close();
 */
export class PartnerChain {
  readonly #listeners = new Set<PartnerChainListener>();
  #closing: Promise<void> | null = null;

  private constructor(
    readonly options: ChainOptions,
    /** Reads blocks, transactions, receipts, logs, state. */
    readonly reader: ChainReader,
    private readonly engine: Thread,
    private readonly calls: CallPool,
  ) {}

  /**
   * Opens the chain in a directory, or begins it there, and starts to make blocks.
   *
   * @throws Error when the directory holds another chain.
   */
  static async open(input: ChainOptionsInput, calls: Partial<CallPoolOptions> = {}): Promise<PartnerChain> {
    const options = chainOptionsSchema.parse(input);
    const heard: [string, unknown][] = [];
    const to: { chain: PartnerChain | null } = { chain: null };
    const engine = new Thread(new URL('./threads/engine-thread.js', import.meta.url), input, (event, payload) => {
      if (to.chain === null) heard.push([event, payload]);
      else to.chain.#tell(event, payload);
    });
    try {
      await engine.request('started');
    } catch (error) {
      await engine.terminate();
      throw error;
    }
    const { dataDirectory, chainId, lazyAccountGas } = options;
    const reader = new ChainReader(openChainDatabase(dataDirectory, { readOnly: true }));
    const pool = new CallPool({ dataDirectory, chainId, lazyAccountGas }, { ...DEFAULT_CALLS, ...calls });
    to.chain = new PartnerChain(options, reader, engine, pool);
    for (const [event, payload] of heard) to.chain.#tell(event, payload);
    void to.chain.#watch();
    return to.chain;
  }

  /** Number of the newest block. */
  headNumber(): number {
    const head = this.reader.headNumber();
    if (head === null) throw new ChainError('UNAVAILABLE', 'the chain has no block');
    return head;
  }

  /**
   * Takes a signed transaction into the pool.
   *
   * @returns its hash.
   * @throws ChainError TRANSACTION_REJECTED that says why.
   */
  submit(raw: Uint8Array): Promise<`0x${string}`> {
    return this.engine.request('submit', raw);
  }

  /** Makes a block now, empty if nothing waits. */
  mine(): Promise<void> {
    return this.engine.request('mine');
  }

  /** An account's next nonce, transactions that wait counted in. */
  pendingNonce(address: Uint8Array): Promise<bigint> {
    return this.engine.request('pendingNonce', address);
  }

  pendingTransaction(hash: `0x${string}`): Promise<PendingTransaction | null> {
    return this.engine.request('pendingTransaction', hash);
  }

  /** Transactions that could stand in the next block, as far as the bounds allow; each sender's in order, the senders in none. */
  pendingTransactions(bounds: PendingBounds): Promise<PendingTransaction[]> {
    return this.engine.request('pendingTransactions', bounds);
  }

  /** How many `pendingTransactions` tells within the same bounds; nothing but the number comes from the writer's thread. */
  pendingCount(bounds: PendingBounds): Promise<number> {
    return this.engine.request('pendingCount', bounds);
  }

  /** The one that `pendingTransactions` tells at a place within the same bounds; null if it tells fewer. */
  pendingTransactionAt(index: number, bounds: PendingBounds): Promise<PendingTransaction | null> {
    return this.engine.request('pendingTransactionAt', index, bounds);
  }

  /**
   * Runs a call on the state after a block.
   *
   * @throws ChainError EXECUTION_REVERTED with what it returned.
   */
  call(blockNumber: number, request: CallRequest): Promise<Uint8Array> {
    return this.calls.call(blockNumber, request);
  }

  /** The gas a call needs as a transaction, that of lazily created accounts included. */
  estimateGas(blockNumber: number, request: CallRequest): Promise<bigint> {
    return this.calls.estimateGas(blockNumber, request);
  }

  /**
   * The logs that a query asks for, in the chain's order.
   *
   * @throws ChainError INVALID_PARAMS for more than 10,000 logs, UNAVAILABLE when the search takes too long.
   */
  findLogs(query: LogQuery): Promise<PlacedLog[]> {
    return this.calls.findLogs(query.toBlock, query);
  }

  /** Tells what happens until the returned function is called. */
  listen(listener: PartnerChainListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Ends after the block in the making. What waits in the pool is forgotten. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#listeners.clear();
    await this.calls.close();
    await this.engine.request('close').catch((error: unknown) => {
      // A thread that has ended by a fault of its own has nothing to close.
      if (!(error instanceof ChainError && error.code === 'UNAVAILABLE')) throw error;
    });
    await this.engine.ended;
    await this.reader.database.root.close();
  }

  /** The writer's thread ends only when it is told to; if it does by itself (out of memory), no more blocks come. */
  async #watch(): Promise<void> {
    await this.engine.ended;
    if (this.#closing === null)
      this.#tell('failure', { code: null, message: "the writer's thread ended", data: undefined });
  }

  #tell(event: string, payload: unknown): void {
    // What this thread reads from here on is not older than what it was told.
    this.reader.database.root.resetReadTxn();
    for (const listener of this.#listeners) {
      if (event === 'block') listener.onBlock(payload as { number: number; hash: `0x${string}` });
      if (event === 'pending') listener.onPendingTransaction(payload as `0x${string}`);
      if (event === 'fault') listener.onFault(new Error((payload as ThreadError).message));
      if (event === 'failure') listener.onFailure(new Error((payload as ThreadError).message));
    }
  }
}
