import { BASE_FEE_PER_GAS } from '../evm/fees.js';
import { costInUnits, type ChainTransaction } from '../evm/transaction.js';

/** A transaction in the pool. */
export interface PooledTransaction {
  readonly transaction: ChainTransaction;
  readonly sender: string;
  readonly nonce: bigint;
  /** The validator's share of the price of a unit of gas, in wei. */
  readonly tip: bigint;
  /** Units of 8 decimals. */
  readonly cost: bigint;
  readonly bytes: number;
  /** Order of arrival, which breaks ties between equal tips. */
  readonly arrival: number;
}

/** Wraps a transaction for the pool. */
export function pooled(transaction: ChainTransaction, arrival: number): PooledTransaction {
  const room = transaction.maxFeePerGas - BASE_FEE_PER_GAS;
  return {
    transaction,
    sender: transaction.sender.toString(),
    nonce: transaction.tx.nonce,
    tip: room < transaction.maxPriorityFeePerGas ? room : transaction.maxPriorityFeePerGas,
    cost: costInUnits(transaction),
    bytes: transaction.raw.length,
    arrival,
  };
}

/** Below zero if the first comes before the second: it pays more, or the same and arrived first. */
export function compareByTip(a: PooledTransaction, b: PooledTransaction): number {
  if (a.tip !== b.tip) return a.tip > b.tip ? -1 : 1;
  return a.arrival - b.arrival;
}

/** The pooled transactions of one sender, by nonce. */
export class SenderQueue {
  private readonly byNonce = new Map<bigint, PooledTransaction>();
  private lastQueued: PooledTransaction | undefined;
  private totalCost = 0n;

  /** @param accountNonce the account's nonce in the newest block. */
  constructor(public accountNonce: bigint) {}

  get size(): number {
    return this.byNonce.size;
  }

  /** The transaction with the highest nonce, on which no other transaction depends. */
  get last(): PooledTransaction | undefined {
    return this.lastQueued;
  }

  /** The sum of all costs, in units. */
  get cost(): bigint {
    return this.totalCost;
  }

  /** True if there is a nonce gap before the last transaction, so that it cannot be mined. */
  get hasGap(): boolean {
    return this.lastQueued !== undefined && this.lastQueued.nonce - this.accountNonce >= BigInt(this.byNonce.size);
  }

  get(nonce: bigint): PooledTransaction | undefined {
    return this.byNonce.get(nonce);
  }

  values(): Iterable<PooledTransaction> {
    return this.byNonce.values();
  }

  put(transaction: PooledTransaction): void {
    this.byNonce.set(transaction.nonce, transaction);
    this.totalCost += transaction.cost;
    if (this.lastQueued === undefined || transaction.nonce >= this.lastQueued.nonce) this.lastQueued = transaction;
  }

  remove(transaction: PooledTransaction): void {
    this.byNonce.delete(transaction.nonce);
    this.totalCost -= transaction.cost;
    if (this.lastQueued !== transaction) return;
    this.lastQueued = undefined;
    for (const other of this.byNonce.values()) {
      if (this.lastQueued === undefined || other.nonce > this.lastQueued.nonce) this.lastQueued = other;
    }
  }
}
