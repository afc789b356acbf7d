import { ChainError } from '../errors/chain-error.js';
import type { ChainTransaction } from '../transaction/chain-transaction.js';
import { PriceHeap } from './price-heap.js';
import { DEFAULT_POOL_LIMITS, REPLACEMENT_PERCENT, type PoolLimits } from './pool-limits.js';

interface Waiting {
  readonly transaction: ChainTransaction;
  readonly nonce: bigint;
  /** Order of arrival, which decides between equal prices. */
  readonly arrival: number;
}

interface Sender {
  /** The account's nonce in the newest block. */
  accountNonce: bigint;
  readonly waiting: Map<bigint, Waiting>;
}

/**
 * Transactions that wait for a block: by sender and nonce, bounded, the better paying first. What is said here of an account is as of the newest
 * block; the block maker has the last word.
 */
export class Mempool {
  readonly #senders = new Map<string, Sender>();
  readonly #byHash = new Map<string, Waiting>();
  #bytes = 0;
  #arrivals = 0;

  constructor(private readonly limits: PoolLimits = DEFAULT_POOL_LIMITS) {}

  get size(): number {
    return this.#byHash.size;
  }

  has(hash: string): boolean {
    return this.#byHash.has(hash);
  }

  get(hash: string): ChainTransaction | undefined {
    return this.#byHash.get(hash)?.transaction;
  }

  /**
   * Takes a transaction in; one with the same sender and nonce is replaced if this one pays at least a tenth more.
   *
   * @param accountNonce the sender's nonce in the newest block.
   * @throws ChainError TRANSACTION_REJECTED: known already, nonce used, replacement underpriced, or no room.
   */
  add(transaction: ChainTransaction, accountNonce: bigint): void {
    const { nonce } = transaction.tx;
    if (this.#byHash.has(transaction.hash)) throw rejected('already known');
    if (nonce < accountNonce) throw rejected(`nonce too low: next nonce ${accountNonce}, tx nonce ${nonce}`);
    const sender = this.#senders.get(transaction.sender.toString()) ?? { accountNonce, waiting: new Map() };
    sender.accountNonce = accountNonce;
    const replaced = sender.waiting.get(nonce);
    if (replaced === undefined) this.#checkRoom(transaction, sender, accountNonce);
    else checkReplacement(replaced.transaction, transaction);
    if (replaced !== undefined) this.#forget(replaced);
    const waiting = { transaction, nonce, arrival: (this.#arrivals += 1) };
    sender.waiting.set(nonce, waiting);
    this.#senders.set(transaction.sender.toString(), sender);
    this.#byHash.set(transaction.hash, waiting);
    this.#bytes += transaction.raw.length;
  }

  /** The sender's next nonce, counting what waits here without a gap. */
  nextNonce(sender: string, accountNonce: bigint): bigint {
    const waiting = this.#senders.get(sender)?.waiting;
    let next = accountNonce;
    while (waiting?.has(next) === true) next += 1n;
    return next;
  }

  /**
   * Goes through the transactions that could stand in the next block, the best paying first; those of one sender in the order of their nonces. After
   * `skip`, what else the sender has waits for another block.
   */
  *best(baseFeePerGas: bigint): Generator<ChainTransaction, void, 'skip' | undefined> {
    const heap = new PriceHeap<Waiting>((a, b) => compareByPrice(a, b, baseFeePerGas));
    for (const sender of this.#senders.values()) {
      const first = sender.waiting.get(sender.accountNonce);
      if (first !== undefined) heap.push(first);
    }
    for (let next = heap.pop(); next !== undefined; next = heap.pop()) {
      const verdict = yield next.transaction;
      const following = this.#senders.get(next.transaction.sender.toString())?.waiting.get(next.nonce + 1n);
      if (verdict !== 'skip' && following !== undefined) heap.push(following);
    }
  }

  /** Drops a transaction, because it is in a block or can never be. */
  remove(hash: string): void {
    const waiting = this.#byHash.get(hash);
    if (waiting !== undefined) this.#forget(waiting);
  }

  /** Told of a sender's nonce after a block: what is below it can never be mined. */
  advance(senderAddress: string, accountNonce: bigint): void {
    const sender = this.#senders.get(senderAddress);
    if (sender === undefined) return;
    sender.accountNonce = accountNonce;
    for (const waiting of [...sender.waiting.values()]) if (waiting.nonce < accountNonce) this.#forget(waiting);
  }

  /** Every waiting transaction, in no order. */
  *all(): Generator<ChainTransaction> {
    for (const waiting of this.#byHash.values()) yield waiting.transaction;
  }

  #checkRoom(transaction: ChainTransaction, sender: Sender, accountNonce: bigint): void {
    if (sender.waiting.size >= this.limits.perSender) {
      throw rejected(`the sender has ${sender.waiting.size} transactions waiting already`);
    }
    if (transaction.tx.nonce - accountNonce >= BigInt(this.limits.perSender)) {
      throw rejected(`nonce ${transaction.tx.nonce} is too far ahead of the account's, ${accountNonce}`);
    }
    const full =
      this.#byHash.size >= this.limits.transactions || this.#bytes + transaction.raw.length > this.limits.bytes;
    if (full) throw rejected('the pool of waiting transactions is full; try again after the next block');
  }

  #forget(waiting: Waiting): void {
    const address = waiting.transaction.sender.toString();
    const sender = this.#senders.get(address);
    if (sender?.waiting.get(waiting.nonce) === waiting) sender.waiting.delete(waiting.nonce);
    if (sender?.waiting.size === 0) this.#senders.delete(address);
    if (this.#byHash.delete(waiting.transaction.hash)) this.#bytes -= waiting.transaction.raw.length;
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

function compareByPrice(a: Waiting, b: Waiting, baseFeePerGas: bigint): number {
  const [tipA, tipB] = [tipOf(a.transaction, baseFeePerGas), tipOf(b.transaction, baseFeePerGas)];
  if (tipA !== tipB) return tipA > tipB ? -1 : 1;
  return a.arrival - b.arrival;
}

function tipOf(transaction: ChainTransaction, baseFeePerGas: bigint): bigint {
  const room = transaction.maxFeePerGas - baseFeePerGas;
  return room < transaction.maxPriorityFeePerGas ? room : transaction.maxPriorityFeePerGas;
}

function rejected(message: string): ChainError {
  return new ChainError('TRANSACTION_REJECTED', message);
}
