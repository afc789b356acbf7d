import { ChainError } from '../errors/chain-error.js';
import type { ChainTransaction } from '../transaction/chain-transaction.js';
import { WEI_PER_UNIT } from '../units/native-unit.js';
import { EvictionQueue } from './eviction-queue.js';
import { DEFAULT_POOL_LIMITS, REPLACEMENT_PERCENT, type PoolLimits } from './pool-limits.js';
import { PriceHeap } from './price-heap.js';
import { SenderQueue } from './sender-queue.js';
import { compareByTip, waitingOf, type Waiting } from './waiting.js';

/** What the pool must know of a sender, as of the newest block. */
export interface SenderAccount {
  readonly nonce: bigint;
  /** Units of 8 decimals. */
  readonly balance: bigint;
}

/**
 * Transactions that wait for a block: by sender and nonce, bounded, the better paying first. What is said here of an account is as of the newest
 * block; the block maker has the last word.
 */
export class Mempool {
  readonly #senders = new Map<string, SenderQueue>();
  readonly #byHash = new Map<string, Waiting>();
  #bytes = 0;
  #arrivals = 0;
  /** Made when the pool is full, forgotten with each block. */
  #evictions: EvictionQueue | null = null;

  constructor(private readonly limits: PoolLimits = DEFAULT_POOL_LIMITS) {}

  get size(): number {
    return this.#byHash.size;
  }

  /** Of all that waits. */
  get bytes(): number {
    return this.#bytes;
  }

  get(hash: string): ChainTransaction | undefined {
    return this.#byHash.get(hash)?.transaction;
  }

  /**
   * Takes a transaction in. One with the same sender and nonce is replaced if this one pays at least a tenth more; a full pool gives up the worst paying
   * for one that pays more.
   *
   * @throws ChainError TRANSACTION_REJECTED: known already, nonce used or far ahead, replacement underpriced, the balance does not cover all that
   *   the sender has waiting, or no room.
   */
  add(transaction: ChainTransaction, account: SenderAccount): void {
    if (this.#byHash.has(transaction.hash)) throw rejected('already known');
    const waiting = waitingOf(transaction, this.#arrivals + 1);
    const sender = this.#senders.get(waiting.sender) ?? new SenderQueue(account.nonce);
    const replaced = sender.get(waiting.nonce);
    this.#checkNonce(waiting, sender, account);
    if (replaced !== undefined) checkReplacement(replaced.transaction, transaction);
    checkFunds(waiting, sender, replaced, account);
    sender.accountNonce = account.nonce;
    this.#makeRoom(waiting, sender, replaced);
    this.#arrivals += 1;
    if (replaced !== undefined) this.#forget(replaced);
    this.#put(waiting, sender);
  }

  /** The sender's next nonce, counting what waits here without a gap. */
  nextNonce(sender: string, accountNonce: bigint): bigint {
    const queue = this.#senders.get(sender);
    let next = accountNonce;
    while (queue?.get(next) !== undefined) next += 1n;
    return next;
  }

  /**
   * Goes through the transactions that could stand in the next block, the best paying first; those of one sender in the order of their nonces. After
   * `skip`, what else the sender has waits for another block.
   */
  *best(): Generator<ChainTransaction, void, 'skip' | undefined> {
    const heap = new PriceHeap<Waiting>(compareByTip);
    for (const sender of this.#senders.values()) {
      const first = sender.get(sender.accountNonce);
      if (first !== undefined) heap.push(first);
    }
    for (let next = heap.pop(); next !== undefined; next = heap.pop()) {
      const verdict = yield next.transaction;
      const following = this.#senders.get(next.sender)?.get(next.nonce + 1n);
      if (verdict !== 'skip' && following !== undefined) heap.push(following);
    }
  }

  /** Drops a transaction, because it is in a block or can never be. */
  remove(hash: string): void {
    this.#evictions = null;
    const waiting = this.#byHash.get(hash);
    if (waiting !== undefined) this.#forget(waiting);
  }

  /** Told of an account's nonce after a block that changed it: what is below it can never be mined. */
  advance(address: string, accountNonce: bigint): void {
    const sender = this.#senders.get(address);
    if (sender === undefined) return;
    this.#evictions = null;
    sender.accountNonce = accountNonce;
    for (const waiting of sender.values()) if (waiting.nonce < accountNonce) this.#forget(waiting);
  }

  /** The transactions that could stand in the next block, none behind a missing nonce; each sender's in order, the senders in none. */
  *runnable(): Generator<ChainTransaction> {
    for (const sender of this.#senders.values()) {
      let next = sender.get(sender.accountNonce);
      for (; next !== undefined; next = sender.get(next.nonce + 1n)) yield next.transaction;
    }
  }

  #checkNonce({ nonce }: Waiting, sender: SenderQueue, account: SenderAccount): void {
    if (nonce < account.nonce) throw rejected(`nonce too low: next nonce ${account.nonce}, tx nonce ${nonce}`);
    if (nonce - account.nonce >= BigInt(this.limits.perSender)) {
      throw rejected(
        `nonce ${nonce} is too far ahead of the account's, ${account.nonce}: at most ${this.limits.perSender} may wait, the sender has ${sender.size}`,
      );
    }
  }

  /** Gives up the worst of what waits until there is room for one more; all of that, or, when it does not help, nothing. */
  #makeRoom(waiting: Waiting, sender: SenderQueue, replaced: Waiting | undefined): void {
    const transactions = this.limits.transactions - (replaced === undefined ? 1 : 0);
    const bytes = this.limits.bytes - waiting.bytes + (replaced?.bytes ?? 0);
    const isFull = (): boolean => this.#byHash.size > transactions || this.#bytes > bytes;
    if (!isFull()) return;
    this.#evictions ??= new EvictionQueue(this.#senders);
    const isStuck = this.nextNonce(waiting.sender, sender.accountNonce) < waiting.nonce;
    const evicted: [Waiting, SenderQueue | undefined][] = [];
    while (isFull()) {
      const victim = this.#evictions.take({ tip: waiting.tip, isStuck }, waiting.sender);
      if (victim === undefined) {
        for (const [kept, queue] of evicted) this.#put(kept, queue);
        throw rejected(
          'the pool of waiting transactions is full of better paying ones; raise the tip, or try again after the next block',
        );
      }
      const queue = this.#senders.get(victim.sender);
      evicted.push([victim, queue]);
      this.#forget(victim);
      if (queue !== undefined) this.#evictions.offer(queue);
    }
  }

  #put(waiting: Waiting, sender: SenderQueue = new SenderQueue(waiting.nonce)): void {
    sender.put(waiting);
    this.#senders.set(waiting.sender, sender);
    this.#byHash.set(waiting.transaction.hash, waiting);
    this.#bytes += waiting.bytes;
    if (sender.last === waiting) this.#evictions?.offer(sender);
  }

  #forget(waiting: Waiting): void {
    if (!this.#byHash.delete(waiting.transaction.hash)) return;
    this.#bytes -= waiting.bytes;
    const sender = this.#senders.get(waiting.sender);
    sender?.remove(waiting);
    if (sender?.size === 0) this.#senders.delete(waiting.sender);
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

/** Whoever has coin for one transaction shall not fill the pool with a thousand. */
function checkFunds(
  waiting: Waiting,
  sender: SenderQueue,
  replaced: Waiting | undefined,
  account: SenderAccount,
): void {
  const queued = sender.cost - (replaced?.cost ?? 0n);
  if (queued + waiting.cost <= account.balance) return;
  throw rejected(
    `insufficient funds for gas * price + value: address ${waiting.sender} has ${account.balance * WEI_PER_UNIT} wei, ` +
      `wants ${waiting.cost * WEI_PER_UNIT} wei beside ${queued * WEI_PER_UNIT} wei for what it has waiting`,
  );
}

function rejected(message: string): ChainError {
  return new ChainError('TRANSACTION_REJECTED', message);
}
