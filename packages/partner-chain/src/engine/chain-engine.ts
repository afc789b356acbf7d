import { Address, bytesToHex, hexToBytes } from '@ethereumjs/util';
import type { Common } from '@ethereumjs/common';
import { makeBlock, type BlockRules } from '../block/block-maker.js';
import type { SealedBlock } from '../block/sealed-block.js';
import { ChainError } from '../errors/chain-error.js';
import { ExecutionFault } from '../errors/execution-fault.js';
import { checkSender } from '../execution/check-sender.js';
import { createCommon } from '../execution/create-common.js';
import { Machine } from '../execution/machine.js';
import { BASE_FEE_PER_GAS } from '../fees/fee-schedule.js';
import { Mempool } from '../mempool/mempool.js';
import type { PendingBounds } from '../mempool/pending-transaction.js';
import type { ChainDatabase } from '../storage/chain-database.js';
import { ChainReader, type StoredBlock } from '../storage/chain-reader.js';
import { writeBlock } from '../storage/write-block.js';
import { decodeTransaction } from '../transaction/decode-transaction.js';
import type { ChainTransaction } from '../transaction/chain-transaction.js';
import type { ChainOptions } from './chain-options.js';
import { openChain } from './open-chain.js';

/** What the engine tells as it happens. */
export interface EngineListener {
  onBlock(block: { readonly number: number; readonly hash: `0x${string}` }): void;
  onPendingTransaction(hash: `0x${string}`): void;
  /** A transaction was dropped, for a reason that is a fault of the chain's own; blocks go on. */
  onFault(fault: ExecutionFault): void;
  /** A block could not be made, for a reason that is a fault of the chain's own; the engine has stopped. */
  onFailure(error: unknown): void;
}

/** After so many transactions at which the EVM broke, a block is left empty. */
const MAX_FAULTS = 16;

/** The writing side of the chain: takes transactions in and makes blocks of them. One process has one. */
export class ChainEngine {
  readonly #mempool: Mempool;
  #machine: Machine;
  readonly #reader: ChainReader;
  readonly #common: Common;
  readonly #rules: BlockRules;
  #head: StoredBlock;
  #timer: NodeJS.Timeout | null = null;
  #mining: Promise<void> = Promise.resolve();
  #isMiningAsked = false;
  #isMining = false;
  #isClosed = false;
  #hasFailed = false;

  private constructor(
    private readonly database: ChainDatabase,
    private readonly options: ChainOptions,
    private readonly listener: EngineListener,
    private readonly now: () => number,
  ) {
    this.#reader = new ChainReader(database);
    this.#common = createCommon(options.chainId);
    this.#mempool = new Mempool(options.pool);
    this.#rules = {
      coinbase: new Address(hexToBytes(options.validator)),
      gasLimit: options.blockGasLimit,
      executionBudgetMs: options.executionBudgetMs,
    };
    this.#head = this.#readHead();
    this.#machine = this.#createMachine();
  }

  /**
   * Opens the chain and begins to make blocks.
   *
   * @param now milliseconds since 1970.
   */
  static async start(options: ChainOptions, listener: EngineListener, now: () => number): Promise<ChainEngine> {
    const engine = new ChainEngine(await openChain(options), options, listener, now);
    if (options.blockIntervalMs > 0) {
      engine.#timer = setInterval(() => {
        // A block that takes longer than the interval takes the next one's place.
        if (!engine.#isMining) void engine.#mineNext();
      }, options.blockIntervalMs);
    }
    return engine;
  }

  /**
   * Takes a signed transaction into the pool.
   *
   * @returns its hash.
   * @throws ChainError TRANSACTION_REJECTED that says why.
   */
  submit(raw: Uint8Array): `0x${string}` {
    if (this.#isClosed) throw new ChainError('UNAVAILABLE', 'the chain is closing');
    const transaction = decodeTransaction(raw, this.#common);
    if (transaction.tx.gasLimit > this.options.blockGasLimit) {
      throw new ChainError('TRANSACTION_REJECTED', `gas limit ${transaction.tx.gasLimit} exceeds a block's`);
    }
    if (transaction.maxFeePerGas < BASE_FEE_PER_GAS) {
      throw new ChainError(
        'TRANSACTION_REJECTED',
        `transaction underpriced: ${transaction.maxFeePerGas} wei per gas offered, at least ${BASE_FEE_PER_GAS} needed`,
      );
    }
    if (this.#reader.place(hexToBytes(transaction.hash)) !== null) {
      throw new ChainError('TRANSACTION_REJECTED', 'already known');
    }
    const state = this.#reader.state(this.#head.header.number);
    const account = state.account(transaction.sender.bytes);
    checkSender(transaction, account, account?.isContract() === true ? state.code(account.codeHash) : new Uint8Array());
    this.#mempool.add(transaction, { nonce: account?.nonce ?? 0n, balance: account?.balance ?? 0n });
    this.listener.onPendingTransaction(transaction.hash);
    if (this.options.blockIntervalMs === 0) this.#askForBlock();
    return transaction.hash;
  }

  /**
   * Makes the next block now, empty if nothing waits; one at a time.
   *
   * @throws ChainError UNAVAILABLE when the chain can make no more blocks.
   */
  async mine(): Promise<void> {
    await this.#mineNext();
    if (this.#hasFailed) throw new ChainError('UNAVAILABLE', 'the chain can make no more blocks');
  }

  /** The sender's next nonce with what waits here. */
  pendingNonce(address: Uint8Array): bigint {
    const nonce = this.#reader.state(this.#head.header.number).account(address)?.nonce ?? 0n;
    return this.#mempool.nextNonce(bytesToHex(address), nonce);
  }

  pendingTransaction(hash: string): ChainTransaction | undefined {
    return this.#mempool.get(hash);
  }

  /** Those that could stand in the next block, as far as the bounds allow. */
  pendingTransactions(bounds: PendingBounds): ChainTransaction[] {
    const found: ChainTransaction[] = [];
    let bytes = 0;
    for (const transaction of this.#mempool.runnable()) {
      bytes += transaction.raw.length;
      if (found.length === bounds.transactions || bytes > bounds.bytes) break;
      found.push(transaction);
    }
    return found;
  }

  /** How many those are. What waits behind a missing nonce is none of them, so that the pool has to be looked through. */
  pendingCount(bounds: PendingBounds): number {
    return this.pendingTransactions(bounds).length;
  }

  /** The one of them that stands at a place. */
  pendingTransactionAt(index: number, bounds: PendingBounds): ChainTransaction | undefined {
    return this.pendingTransactions(bounds)[index];
  }

  /** Ends after the block in the making. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#mining;
    await this.database.root.close();
  }

  /** Several transactions that come at once share a block. */
  #askForBlock(): void {
    if (this.#isMiningAsked) return;
    this.#isMiningAsked = true;
    setImmediate(() => {
      this.#isMiningAsked = false;
      void this.#mineNext().then(() => {
        if (!this.#isClosed && !this.#mempool.best().next().done) this.#askForBlock();
      });
    });
  }

  #mineNext(): Promise<void> {
    this.#mining = this.#mining.then(() => this.#mineOne());
    return this.#mining;
  }

  async #mineOne(): Promise<void> {
    if (this.#isClosed) return;
    this.#isMining = true;
    try {
      const block = await this.#makeBlock();
      writeBlock(this.database, block);
      this.#head = this.#readHead();
      // Not only senders' nonces rise: an authorization raises its signer's (EIP-7702), whoever sent it.
      for (const [address, account] of block.state.accounts)
        this.#mempool.advance(`0x${address}`, account?.nonce ?? 0n);
      this.listener.onBlock({ number: block.header.number, hash: bytesToHex(block.hash) });
    } catch (error) {
      this.#isClosed = true;
      this.#hasFailed = true;
      if (this.#timer !== null) clearInterval(this.#timer);
      this.listener.onFailure(error);
    } finally {
      this.#isMining = false;
    }
  }

  /** Makes the next block. A transaction at which the EVM breaks must not stop the chain: the block is made again without it. */
  async #makeBlock(): Promise<SealedBlock> {
    for (let faults = 0; ; faults += 1) {
      const mempool = faults < MAX_FAULTS ? this.#mempool : new Mempool();
      try {
        return await makeBlock(this.database, this.#machine, mempool, this.#head, this.#rules, this.now);
      } catch (error) {
        if (!(error instanceof ExecutionFault)) throw error;
        this.#machine = this.#createMachine();
        this.listener.onFault(error);
      }
    }
  }

  #createMachine(): Machine {
    return new Machine(
      this.#common,
      this.#reader.state(this.#head.header.number),
      (blockNumber) => this.#reader.block(blockNumber)?.hash,
      this.options.lazyAccountGas,
    );
  }

  #readHead(): StoredBlock {
    this.database.root.resetReadTxn();
    const number = this.#reader.headNumber();
    const head = number === null ? null : this.#reader.block(number);
    if (head === null) throw new Error(`${this.options.dataDirectory} has no block to build on`);
    return head;
  }
}
