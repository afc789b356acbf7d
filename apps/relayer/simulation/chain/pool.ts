import type { Address, Hex } from 'viem';
import { leastGas } from './evm.ts';
import type { Transaction } from './transactions.ts';

/** A sender's account. */
interface SenderState {
  readonly nonce: number;
  readonly balance: bigint;
}

/** The pool rejects a transaction. The message is geth's. */
export class PoolError extends Error {
  override readonly name = 'PoolError';
}

/** The pending transactions of a chain. Transactions after a nonce gap wait. */
export class TransactionPool {
  /** Increases with each change. */
  version = 0;
  private readonly bySender = new Map<Address, Map<number, Transaction>>();

  /**
   * Adds a transaction, or replaces one with the same nonce if the new one pays at least 10 % more.
   *
   * @throws PoolError
   */
  add(transaction: Transaction, sender: SenderState, gasLimit: bigint): void {
    const { from, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, value, hash, input } = transaction;
    const known = this.bySender.get(from)?.get(nonce);
    if (known?.hash === hash) throw new PoolError('already known');
    if (gas > gasLimit) throw new PoolError('exceeds block gas limit');
    if (gas < leastGas(input)) throw new PoolError('intrinsic gas too low');
    if (maxPriorityFeePerGas > maxFeePerGas)
      throw new PoolError('max priority fee per gas higher than max fee per gas');
    if (nonce < sender.nonce) throw new PoolError(`nonce too low: next nonce ${sender.nonce}, tx nonce ${nonce}`);
    if (sender.balance < gas * maxFeePerGas + value)
      throw new PoolError(`insufficient funds for gas * price + value: balance ${sender.balance}`);
    const isTenthMore = (fee: bigint, before: bigint) => fee * 10n >= before * 11n;
    const isReplacement =
      known === undefined ||
      (isTenthMore(maxFeePerGas, known.maxFeePerGas) && isTenthMore(maxPriorityFeePerGas, known.maxPriorityFeePerGas));
    if (!isReplacement) throw new PoolError('replacement transaction underpriced');
    this.put(transaction);
  }

  /** Restores a transaction after a reorg removed its block, without checks. A pending one with its nonce stays. */
  putBack(transaction: Transaction): void {
    if (this.bySender.get(transaction.from)?.has(transaction.nonce) !== true) this.put(transaction);
  }

  /** Drops transactions, as nodes do when they restart or are full. */
  drop(isDropped: (transaction: Transaction) => boolean): void {
    for (const [sender, transactions] of this.bySender) {
      for (const [nonce, transaction] of transactions) if (isDropped(transaction)) this.remove(sender, nonce);
    }
  }

  /** Removes transactions whose nonces a new block has used. */
  prune(getNonce: (sender: Address) => number): void {
    for (const [sender, transactions] of this.bySender) {
      const next = getNonce(sender);
      for (const nonce of transactions.keys()) if (nonce < next) this.remove(sender, nonce);
    }
  }

  /** All pending transactions, by sender in order of arrival. */
  all(): readonly Transaction[] {
    return [...this.bySender.values()].flatMap((transactions) => [...transactions.values()]);
  }

  find(hash: Hex): Transaction | undefined {
    return this.all().find((transaction) => transaction.hash === hash);
  }

  /** The senders with pending transactions, in order of arrival. */
  senders(): readonly Address[] {
    return [...this.bySender.keys()];
  }

  of(sender: Address, nonce: number): Transaction | undefined {
    return this.bySender.get(sender)?.get(nonce);
  }

  private put(transaction: Transaction): void {
    this.version += 1;
    const transactions = this.bySender.get(transaction.from) ?? new Map<number, Transaction>();
    transactions.set(transaction.nonce, transaction);
    this.bySender.set(transaction.from, transactions);
  }

  private remove(sender: Address, nonce: number): void {
    this.version += 1;
    const transactions = this.bySender.get(sender);
    transactions?.delete(nonce);
    if (transactions?.size === 0) this.bySender.delete(sender);
  }
}
