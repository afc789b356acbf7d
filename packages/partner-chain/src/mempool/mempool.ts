import type { ChainTransaction } from '../evm/transaction.js';
import { rejected } from '../errors.js';
import { WEI_PER_UNIT } from '../units.js';
import { EvictionQueue } from './eviction-queue.js';
import { PriceHeap } from './price-heap.js';
import { compareByTip, pooled, SenderQueue, type PooledTransaction } from './sender-queue.js';

/** The limits of the pool. */
export interface PoolLimits {
  readonly transactions: number;
  readonly bytes: number;
  /** Maximum transactions of one sender. */
  readonly perSender: number;
}

/** An account in the state of the newest block. */
interface SenderAccount {
  readonly nonce: bigint;
  /** Units of 8 decimals. */
  readonly balance: bigint;
}

/** A transaction in the pool. */
export interface PendingTransaction {
  readonly hash: `0x${string}`;
  readonly raw: Uint8Array;
  readonly sender: `0x${string}`;
}

/** Selects pooled transactions, and limits their number and size. */
export interface PendingBounds {
  readonly transactions: number;
  /** Maximum total size. */
  readonly bytes: number;
  /** True for transactions after a nonce gap; false, the default, for those that can be in the next block. */
  readonly isQueued?: boolean;
  /** Only this sender, in lower case. Default: all senders. */
  readonly sender?: string;
}

export const DEFAULT_POOL_LIMITS: PoolLimits = { transactions: 50_000, bytes: 64 * 1024 * 1024, perSender: 2_000 };

/** Percentage by which a replacement must raise both prices, as in Ethereum's pools. */
const REPLACEMENT_PERCENT = 10n;

/**
 * Pending transactions by sender and nonce, within limits, the better-paying first. Accounts are as of the newest
 * block. The block maker makes the final check.
 */
export class Mempool {
  private readonly senders = new Map<string, SenderQueue>();
  private readonly byHash = new Map<string, PooledTransaction>();
  private totalBytes = 0;
  private arrivals = 0;
  /** Built when the pool is full, and discarded with each block. */
  private evictions: EvictionQueue | null = null;

  constructor(private readonly limits: PoolLimits = DEFAULT_POOL_LIMITS) {}

  get size(): number {
    return this.byHash.size;
  }

  /** Total size of all transactions. */
  get bytes(): number {
    return this.totalBytes;
  }

  get(hash: string): ChainTransaction | undefined {
    return this.byHash.get(hash)?.transaction;
  }

  /**
   * Adds a transaction. It replaces one with the same sender and nonce if it pays at least a tenth more. A full pool
   * evicts the lowest-paying transaction for one that pays more.
   *
   * @throws PartnerChainError TRANSACTION_REJECTED: already known, nonce used or too far ahead, replacement
   *   underpriced, the balance does not cover all of the sender's transactions, or the pool is full.
   */
  add(transaction: ChainTransaction, account: SenderAccount): void {
    if (this.byHash.has(transaction.hash)) throw rejected('already known');
    const entry = pooled(transaction, this.arrivals + 1);
    const sender = this.senders.get(entry.sender) ?? new SenderQueue(account.nonce);
    const replaced = sender.get(entry.nonce);
    this.checkNonce(entry, sender, account);
    if (replaced !== undefined) checkReplacement(replaced.transaction, transaction);
    checkFunds(entry, sender, replaced, account);
    sender.accountNonce = account.nonce;
    this.makeRoom(entry, sender, replaced);
    this.arrivals += 1;
    if (replaced !== undefined) this.forget(replaced);
    this.put(entry, sender);
  }

  /** Returns whether a transaction is pending without a nonce gap before it, so that it can be in the next block. */
  isRunnable(hash: string): boolean {
    const entry = this.byHash.get(hash);
    if (entry === undefined) return false;
    const { accountNonce } = this.senders.get(entry.sender) ?? { accountNonce: 0n };
    return entry.nonce < this.nextNonce(entry.sender, accountNonce);
  }

  /** Returns the sender's next nonce, counting its transactions up to the first nonce gap. */
  nextNonce(sender: string, accountNonce: bigint): bigint {
    const queue = this.senders.get(sender);
    let next = accountNonce;
    while (queue?.get(next) !== undefined) next += 1n;
    return next;
  }

  /**
   * Iterates over the transactions that can be in the next block, the best-paying first; those of one sender in the
   * order of their nonces. `skip` skips the sender's other transactions until the next block. The pool can change
   * during the iteration: a replacement takes the place of the transaction it replaced, and an evicted one is omitted.
   */
  *best(): Generator<ChainTransaction, void, 'skip' | undefined> {
    const heap = new PriceHeap<PooledTransaction>(compareByTip);
    for (const sender of this.senders.values()) {
      const first = sender.get(sender.accountNonce);
      if (first !== undefined) heap.push(first);
    }
    for (let next = heap.pop(); next !== undefined; next = heap.pop()) {
      const current = this.senders.get(next.sender)?.get(next.nonce);
      if (current !== next) {
        if (current !== undefined) heap.push(current);
        continue;
      }
      const verdict = yield next.transaction;
      const following = this.senders.get(next.sender)?.get(next.nonce + 1n);
      if (verdict !== 'skip' && following !== undefined) heap.push(following);
    }
  }

  /** Removes a transaction that is in a block or can never be in one. */
  remove(hash: string): void {
    this.evictions = null;
    const entry = this.byHash.get(hash);
    if (entry !== undefined) this.forget(entry);
  }

  /** Updates an account's nonce after a block, and removes transactions below it, which can never be mined. */
  advance(address: string, accountNonce: bigint): void {
    const sender = this.senders.get(address);
    if (sender === undefined) return;
    this.evictions = null;
    sender.accountNonce = accountNonce;
    for (const entry of sender.values()) if (entry.nonce < accountNonce) this.forget(entry);
  }

  /**
   * Iterates over the transactions that can be in the next block, without those after a nonce gap. Each sender's
   * transactions are in order; the senders are not.
   *
   * @param only returns only this sender's transactions.
   */
  *runnable(only?: string): Generator<ChainTransaction> {
    for (const sender of this.select(only)) {
      let next = sender.get(sender.accountNonce);
      for (; next !== undefined; next = sender.get(next.nonce + 1n)) yield next.transaction;
    }
  }

  /** Iterates over the transactions after a nonce gap, each sender's in order. */
  *queued(only?: string): Generator<ChainTransaction> {
    for (const sender of this.select(only)) {
      if (!sender.hasGap) continue;
      let gap = sender.accountNonce;
      while (sender.get(gap) !== undefined) gap += 1n;
      const behind = [...sender.values()].filter(({ nonce }) => nonce > gap);
      for (const { transaction } of behind.toSorted((a, b) => Number(a.nonce - b.nonce))) yield transaction;
    }
  }

  private select(only: string | undefined): Iterable<SenderQueue> {
    if (only === undefined) return this.senders.values();
    const sender = this.senders.get(only);
    return sender === undefined ? [] : [sender];
  }

  private checkNonce({ nonce }: PooledTransaction, sender: SenderQueue, account: SenderAccount): void {
    if (nonce < account.nonce) throw rejected(`nonce too low: next nonce ${account.nonce}, tx nonce ${nonce}`);
    if (nonce - account.nonce >= BigInt(this.limits.perSender)) {
      throw rejected(
        `nonce too high: ${nonce} is too far ahead of the account's, ${account.nonce}: ` +
          `at most ${this.limits.perSender} may wait, the sender has ${sender.size}`,
      );
    }
  }

  /** Evicts the worst transactions until the new one fits. If that is not enough, evicts nothing. */
  private makeRoom(entry: PooledTransaction, sender: SenderQueue, replaced: PooledTransaction | undefined): void {
    const transactions = this.limits.transactions - (replaced === undefined ? 1 : 0);
    const bytes = this.limits.bytes - entry.bytes + (replaced?.bytes ?? 0);
    const isFull = (): boolean => this.byHash.size > transactions || this.totalBytes > bytes;
    if (!isFull()) return;
    this.evictions ??= new EvictionQueue(this.senders);
    const isStuck = this.nextNonce(entry.sender, sender.accountNonce) < entry.nonce;
    const evicted: [PooledTransaction, SenderQueue | undefined][] = [];
    while (isFull()) {
      const victim = this.evictions.take({ tip: entry.tip, isStuck }, entry.sender);
      if (victim === undefined) {
        for (const [kept, queue] of evicted) this.put(kept, queue);
        throw rejected(
          'transaction underpriced: the pool is full of better-paying transactions; raise the tip, or try again after the next block',
        );
      }
      const queue = this.senders.get(victim.sender);
      evicted.push([victim, queue]);
      this.forget(victim);
      if (queue !== undefined) this.evictions.offer(queue);
    }
  }

  private put(entry: PooledTransaction, sender: SenderQueue = new SenderQueue(entry.nonce)): void {
    sender.put(entry);
    this.senders.set(entry.sender, sender);
    this.byHash.set(entry.transaction.hash, entry);
    this.totalBytes += entry.bytes;
    if (sender.last === entry) this.evictions?.offer(sender);
  }

  private forget(entry: PooledTransaction): void {
    if (!this.byHash.delete(entry.transaction.hash)) return;
    this.totalBytes -= entry.bytes;
    const sender = this.senders.get(entry.sender);
    sender?.remove(entry);
    if (sender?.size === 0) this.senders.delete(entry.sender);
  }
}

function checkReplacement(before: ChainTransaction, after: ChainTransaction): void {
  const raisedEnough = (a: bigint, b: bigint): boolean => b * 100n >= a * (100n + REPLACEMENT_PERCENT);
  if (
    raisedEnough(before.maxFeePerGas, after.maxFeePerGas) &&
    raisedEnough(before.maxPriorityFeePerGas, after.maxPriorityFeePerGas)
  ) {
    return;
  }
  throw rejected(
    `replacement transaction underpriced: raise maxFeePerGas and maxPriorityFeePerGas (or gasPrice) by ${REPLACEMENT_PERCENT} % or more`,
  );
}

/** Checks that the balance covers all of a sender's transactions, so that coin for one cannot fill the pool. */
function checkFunds(
  entry: PooledTransaction,
  sender: SenderQueue,
  replaced: PooledTransaction | undefined,
  account: SenderAccount,
): void {
  const queued = sender.cost - (replaced?.cost ?? 0n);
  if (queued + entry.cost <= account.balance) return;
  throw rejected(
    `insufficient funds for gas * price + value: address ${entry.sender} has ${account.balance * WEI_PER_UNIT} wei, ` +
      `wants ${entry.cost * WEI_PER_UNIT} wei in addition to ${queued * WEI_PER_UNIT} wei for its other pending transactions`,
  );
}
