import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Common } from '@ethereumjs/common';
import { Address, bytesToHex, hexToBytes } from '@ethereumjs/util';
import { ChainReader, type StoredBlock } from '../blocks/chain-reader.js';
import { makeGenesisBlock } from '../blocks/genesis.js';
import { makeBlock, type BlockRules } from '../blocks/make-block.js';
import { removeBlocks } from '../blocks/remove-blocks.js';
import { writeBlock, type SealedBlock } from '../blocks/write-block.js';
import { listOtherProcesses, openChainDatabase } from '../db/open-database.js';
import type { ChainDatabase } from '../db/tables.js';
import { ExecutionFault, PartnerChainError, rejected } from '../errors.js';
import { createCommon } from '../evm/common.js';
import { checkSender } from '../evm/execute-transaction.js';
import { BASE_FEE_PER_GAS } from '../evm/fees.js';
import { PartnerEvm } from '../evm/partner-evm.js';
import { decodeTransaction, type ChainTransaction } from '../evm/transaction.js';
import { Mempool, type PendingBounds } from '../mempool/mempool.js';
import { claimDirectory, findCopyProblem, findMissingData, isCopy } from './chain-copy.js';
import type { ChainOptions } from './chain-options.js';

/** The engine's events. */
interface EngineListener {
  onBlock(block: { readonly number: number; readonly hash: `0x${string}` }): void;
  onPendingTransaction(hash: `0x${string}`): void;
  /** A transaction was dropped because of a bug in the chain itself; block production continues. */
  onFault(fault: ExecutionFault): void;
  /** A block could not be made because of a bug in the chain itself; the engine has stopped. */
  onFailure(error: unknown): void;
}

/** Number of EVM failures after which a block is left empty. */
const MAX_FAULTS = 16;
const CHAIN = Buffer.from('chain');
/** Version of the disk format. */
const FORMAT = 3;

/** The writer of the chain: accepts transactions and makes blocks. One per process. */
export class ChainEngine {
  private mempool: Mempool;
  private readonly reader: ChainReader;
  private readonly common: Common;
  private readonly rules: BlockRules;
  private evm: PartnerEvm;
  private head: StoredBlock;
  private timer: NodeJS.Timeout | null = null;
  private mining: Promise<void> = Promise.resolve();
  private isMiningScheduled = false;
  private isMining = false;
  private isClosed = false;
  private hasFailed = false;
  /** The snapshots of a development chain. */
  private readonly snapshots: { readonly head: number; readonly aheadMs: number }[] = [];
  /** How far a development chain's clock is ahead of the machine's. */
  private aheadMs = 0;
  private nextTimestamp: number | null = null;

  private constructor(
    private readonly database: ChainDatabase,
    private readonly options: ChainOptions,
    private readonly listener: EngineListener,
    private readonly now: () => number,
  ) {
    this.reader = new ChainReader(database);
    this.common = createCommon(options.chainId);
    this.mempool = new Mempool(options.pool);
    this.rules = { ...getRules(options), executionBudgetMs: options.executionBudgetMs };
    this.head = this.readHead();
    this.evm = this.createEvm();
  }

  /**
   * Opens the chain and starts block production.
   *
   * @param now milliseconds since 1970.
   * @throws PartnerChainError UNUSABLE_DIRECTORY if the directory holds another chain or another format, is used by
   *   another process or is a copy, or its newest block is too far in the future. Nothing is written then.
   */
  static async start(options: ChainOptions, listener: EngineListener, now: () => number): Promise<ChainEngine> {
    const engine = new ChainEngine(await openChain(options, now()), options, listener, now);
    if (options.blockIntervalMs > 0) {
      engine.timer = setInterval(() => {
        // While a block takes longer than the interval, no other block starts.
        if (!engine.isMining) void engine.mineNext();
      }, options.blockIntervalMs);
    }
    return engine;
  }

  /**
   * Adds a signed transaction to the pool.
   *
   * @returns its hash.
   * @throws PartnerChainError TRANSACTION_REJECTED with the reason.
   */
  submit(raw: Uint8Array): `0x${string}` {
    if (this.isClosed) throw new PartnerChainError('UNAVAILABLE', 'the chain is closing');
    const transaction = decodeTransaction(raw, this.common);
    if (transaction.tx.gasLimit > this.options.blockGasLimit) {
      throw rejected(
        `exceeds block gas limit (intrinsic gas too high): gas limit ${transaction.tx.gasLimit} exceeds a block's`,
      );
    }
    if (transaction.maxFeePerGas < BASE_FEE_PER_GAS) {
      throw rejected(
        'max fee per gas less than block base fee: transaction underpriced: ' +
          `${transaction.maxFeePerGas} wei per gas offered, at least ${BASE_FEE_PER_GAS} needed`,
      );
    }
    if (this.reader.place(hexToBytes(transaction.hash)) !== null) throw rejected('already known');
    const state = this.reader.state(this.head.header.number);
    const account = state.account(transaction.sender.bytes);
    checkSender(transaction, account, account?.isContract() === true ? state.code(account.codeHash) : new Uint8Array());
    this.mempool.add(transaction, { nonce: account?.nonce ?? 0n, balance: account?.balance ?? 0n });
    this.listener.onPendingTransaction(transaction.hash);
    if (this.options.blockIntervalMs === 0) this.scheduleMining();
    return transaction.hash;
  }

  /**
   * Makes the next block now, empty if no transaction is pending; one block at a time.
   *
   * @throws PartnerChainError UNAVAILABLE if the chain cannot make blocks.
   */
  async mine(): Promise<void> {
    await this.mineNext();
    if (this.hasFailed)
      throw new PartnerChainError('UNAVAILABLE', 'the chain cannot make blocks after an internal failure');
  }

  /** Takes a snapshot of a development chain. @returns its number. */
  snapshot(): number {
    return this.snapshots.push({ head: this.head.header.number, aheadMs: this.aheadMs });
  }

  /**
   * Reverts to a snapshot. Removes later blocks and snapshots, and all pending transactions.
   *
   * @returns the removed blocks, newest first; null for an unknown snapshot.
   */
  async revertTo(snapshot: number): Promise<StoredBlock[] | null> {
    await this.mining;
    const found = this.snapshots[snapshot - 1];
    if (found === undefined) return null;
    this.snapshots.length = snapshot - 1;
    const removed = removeBlocks(this.database, found.head);
    [this.aheadMs, this.nextTimestamp] = [found.aheadMs, null];
    this.head = this.readHead();
    this.evm = this.createEvm();
    this.mempool = new Mempool(this.options.pool);
    return removed;
  }

  /** Advances the clock of a development chain. @returns how many seconds it is ahead. */
  increaseTime(seconds: number): number {
    this.aheadMs += seconds * 1_000;
    return Math.floor(this.aheadMs / 1_000);
  }

  /**
   * Sets the time of a development chain's next block, in seconds since 1970. The clock continues from there.
   *
   * @throws PartnerChainError INVALID_PARAMS for a time before the newest block.
   */
  setNextTimestamp(timestamp: number): void {
    if (timestamp < this.head.header.timestamp) {
      throw new PartnerChainError(
        'INVALID_PARAMS',
        `the time must not be before ${this.head.header.timestamp}, the time of the newest block`,
      );
    }
    this.aheadMs = timestamp * 1_000 - this.now();
    this.nextTimestamp = timestamp;
  }

  /**
   * Waits until a transaction has left the pool, for a chain that mines on transaction. Does not wait for a transaction
   * after a nonce gap.
   */
  async mined(hash: string): Promise<void> {
    while (!this.isClosed && this.mempool.isRunnable(hash)) {
      await nextTurn();
      await this.mining;
    }
  }

  /** Returns the sender's next nonce, including pending transactions. */
  pendingNonce(address: Uint8Array): bigint {
    const nonce = this.reader.state(this.head.header.number).account(address)?.nonce ?? 0n;
    return this.mempool.nextNonce(bytesToHex(address), nonce);
  }

  pendingTransaction(hash: string): ChainTransaction | undefined {
    return this.mempool.get(hash);
  }

  /** Lists the transactions that can be in the next block, or those after a nonce gap, within the bounds. */
  pendingTransactions(bounds: PendingBounds): ChainTransaction[] {
    const found: ChainTransaction[] = [];
    let bytes = 0;
    const { isQueued = false, sender } = bounds;
    for (const transaction of isQueued ? this.mempool.queued(sender) : this.mempool.runnable(sender)) {
      bytes += transaction.raw.length;
      if (found.length === bounds.transactions || bytes > bounds.bytes) break;
      found.push(transaction);
    }
    return found;
  }

  /** Finishes the current block, then closes the database. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.timer !== null) clearInterval(this.timer);
    await this.mining;
    await this.database.root.close();
  }

  /** Schedules a block after the current turn of the event loop, so that transactions of one turn share it. */
  private scheduleMining(): void {
    if (this.isMiningScheduled) return;
    this.isMiningScheduled = true;
    setImmediate(() => {
      this.isMiningScheduled = false;
      this.mining = this.mining.then(async () => {
        if (!this.hasRunnable()) return;
        await this.mineOne();
        if (!this.isClosed && this.hasRunnable()) this.scheduleMining();
      });
    });
  }

  /** Returns whether a transaction can be in the next block, that is, any without a nonce gap before it. */
  private hasRunnable(): boolean {
    return !this.mempool.runnable().next().done;
  }

  private mineNext(): Promise<void> {
    this.mining = this.mining.then(() => this.mineOne());
    return this.mining;
  }

  private async mineOne(): Promise<void> {
    if (this.isClosed) return;
    this.isMining = true;
    try {
      const block = await this.makeBlock();
      writeBlock(this.database, block);
      this.head = this.readHead();
      this.nextTimestamp = null;
      // An authorization raises its signer's nonce too (EIP-7702), whichever account sent it.
      for (const [address, account] of block.state.accounts) {
        this.mempool.advance(`0x${address}`, account?.nonce ?? 0n);
      }
      this.listener.onBlock({ number: block.header.number, hash: bytesToHex(block.hash) });
    } catch (error) {
      this.isClosed = true;
      this.hasFailed = true;
      if (this.timer !== null) clearInterval(this.timer);
      this.listener.onFailure(error);
    } finally {
      this.isMining = false;
    }
  }

  /** Makes a block. If the EVM fails on a transaction, it makes the block again without that transaction. */
  private async makeBlock(): Promise<SealedBlock> {
    for (let faults = 0; ; faults += 1) {
      const mempool = faults < MAX_FAULTS ? this.mempool : new Mempool();
      try {
        const now = (): number => this.now() + this.aheadMs;
        return await makeBlock(this.database, this.evm, mempool, this.head, this.rules, now, this.nextTimestamp);
      } catch (error) {
        if (!(error instanceof ExecutionFault)) throw error;
        this.evm = this.createEvm();
        this.listener.onFault(error);
      }
    }
  }

  private createEvm(): PartnerEvm {
    return new PartnerEvm(
      this.common,
      this.reader.state(this.head.header.number),
      (blockNumber) => this.reader.block(blockNumber)?.hash,
      this.options.lazyAccountGas,
    );
  }

  private readHead(): StoredBlock {
    this.database.root.resetReadTxn();
    const number = this.reader.headNumber();
    const head = number === null ? null : this.reader.block(number);
    if (head === null) throw new Error(`${this.options.dataDirectory} has no block to build on`);
    return head;
  }
}

/** Opens the chain in a directory for writing, and writes the genesis block into an empty directory. */
async function openChain(options: ChainOptions, nowMs: number): Promise<ChainDatabase> {
  const { dataDirectory, chainId } = options;
  const missing = findMissingData(dataDirectory);
  if (missing !== null) throw new PartnerChainError('UNUSABLE_DIRECTORY', missing);
  const database = openChainDatabase(dataDirectory);
  const genesis = await makeGenesisBlock(database, options.genesis, getRules(options));
  const identity = JSON.stringify({ format: FORMAT, chainId, genesis: bytesToHex(genesis.hash) });
  const found = database.meta.getBinary(CHAIN)?.toString('utf8');
  const problem = findProblem(database, { found, identity, nowMs, options });
  if (problem !== null) {
    await database.root.close();
    throw new PartnerChainError('UNUSABLE_DIRECTORY', problem);
  }
  if (found !== undefined && !isCopy(database, dataDirectory)) return database;
  claimDirectory(database, dataDirectory, () => {
    if (found === undefined) writeBlock(database, genesis);
    void database.meta.put(CHAIN, Buffer.from(identity));
  });
  return database;
}

interface FoundChain {
  /** The identity of the chain in the directory; undefined for an empty one. */
  readonly found: string | undefined;
  /** The identity of the chain that the options describe. */
  readonly identity: string;
  readonly nowMs: number;
  readonly options: ChainOptions;
}

/** Returns why the chain must not be written, as a sentence without a full stop, or null. */
function findProblem(database: ChainDatabase, { found, identity, nowMs, options }: FoundChain): string | null {
  const { dataDirectory, clockToleranceMs } = options;
  const [other] = listOtherProcesses(database);
  if (other !== undefined)
    return `${dataDirectory} is in use by process ${other}: two processes must not make blocks of one chain`;
  if (found === undefined) return null;
  if (found !== identity) {
    return (
      `${dataDirectory} holds another chain (${found}) than the options describe (${identity}): ` +
      'use another directory, or the original options'
    );
  }
  const copyProblem = isCopy(database, dataDirectory) ? findCopyProblem(database, dataDirectory) : null;
  if (copyProblem !== null) return copyProblem;
  const reader = new ChainReader(database);
  const newest = reader.block(reader.headNumber() ?? 0)?.header.timestamp ?? 0;
  const aheadMs = newest * 1_000 - nowMs;
  if (clockToleranceMs === null || aheadMs <= clockToleranceMs) return null;
  return (
    `the newest block of ${dataDirectory} is ${Math.round(aheadMs / 1_000)} s in the future: ` +
    'set the clock of this machine (NTP)'
  );
}

function getRules(options: ChainOptions): Pick<BlockRules, 'coinbase' | 'gasLimit'> {
  return { coinbase: new Address(hexToBytes(options.validator)), gasLimit: options.blockGasLimit };
}
