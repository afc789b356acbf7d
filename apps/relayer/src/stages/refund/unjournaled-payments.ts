import { ChainError, findTransactionByNonce, laneChain } from '@causeway/chain';
import { getToken, type AddressBook } from '@causeway/protocol';
import type { Fence, Refund, Store, Wallet } from '@causeway/store';
import { BaseError } from 'viem';
import type { BridgeChain } from '../../bridge-chain.js';
import { forEachSequential } from '../../pipeline/for-each.js';
import { isWholePayment, readTransfer } from './encode-refund.js';

/** Transactions read per run. The next run continues. */
const MAX_READ = 50;

/**
 * Finds refunds that the wallet paid but the journal has lost, for example after an old backup was restored. On
 * Ethereum no contract marks a refund as paid. So before each payment, the nonces that the chain has and the journal
 * lacks are read and listed.
 */
export class UnjournaledPayments {
  /** The first nonce that only this lease's holder can have used. */
  private own: { readonly token: bigint; readonly first: bigint } | null = null;

  constructor(
    private readonly store: Store,
    private readonly book: AddressBook,
  ) {}

  /**
   * Searches for a payment of a refund that is not in the journal. A found payment completes the refund.
   *
   * @param arrival the block of the refund's transfer: only a later transaction can have paid it.
   * @returns why the refund must not be paid now; null when no such transaction can have paid it.
   */
  async findObstacle(
    fence: Fence,
    chain: BridgeChain,
    wallet: Wallet,
    refund: Refund,
    arrival: bigint,
  ): Promise<string | null> {
    const { connection, finality, confirmations } = chain;
    const { nonceAt } = laneChain(connection, wallet.address);
    const head = await finality.head();
    const finalBlock = head - BigInt(confirmations) + 1n;
    const [end, headNonce] = [await nonceAt(finalBlock), await nonceAt(head)];
    const start = (await orNull(nonceAt(arrival - 1n))) ?? 0n;
    const unknown = await this.store.unjournaled.unknownNonces(wallet, start, headNonce);
    const isLate = unknown.some(({ nonce, isPending }) => (nonce < end ? isPending : !isPending));
    if (isLate || end < (await this.firstOwn(fence, chain, wallet, headNonce)))
      return 'transactions of the wallet that may have paid it are not final or still pending';
    const unread = unknown.map(({ nonce }) => nonce).filter((nonce) => nonce < end);
    const unreadable = await this.read(fence, chain, wallet, unread, { from: arrival, to: finalBlock });
    const obstacle = await this.findPayment(fence, wallet, refund);
    if (obstacle !== null) return obstacle;
    if (unread.length > MAX_READ) return 'still reading transactions of the wallet that are not in the journal';
    if (unreadable.length === 0) return null;
    return (
      `the nodes do not show the wallet's transactions with the nonces ${unreadable.join(', ')}, which are not in the ` +
      'journal: use a node that keeps old state, or name them with relayer name'
    );
  }

  /**
   * Until the nonces from before this lease are final, a transaction of an earlier holder may still be mined. The
   * lowest answer counts, so that a node that invents pending transactions delays refunds only while it is used.
   */
  private async firstOwn({ token }: Fence, { connection }: BridgeChain, wallet: Wallet, mined: bigint) {
    const [journal, pending] = await Promise.all([
      this.store.journal.nextNonce(wallet),
      connection.client.getTransactionCount({ address: wallet.address, blockTag: 'pending' }),
    ]);
    const next = [mined, journal, BigInt(pending)].reduce((most, each) => (each > most ? each : most));
    const first = this.own?.token === token && this.own.first < next ? this.own.first : next;
    this.own = { token, first };
    return first;
  }

  /** Lists the transactions of the first nonces. Returns the nonces that the nodes do not have. */
  private async read(
    fence: Fence,
    chain: BridgeChain,
    wallet: Wallet,
    unread: readonly bigint[],
    range: { readonly from: bigint; readonly to: bigint },
  ): Promise<readonly bigint[]> {
    const unreadable: bigint[] = [];
    await forEachSequential(unread.slice(0, MAX_READ), async (nonce) => {
      if ((await listUnjournaled(this.store, fence, chain, wallet, nonce, range)) === null) unreadable.push(nonce);
    });
    return unreadable;
  }

  private async findPayment(fence: Fence, wallet: Wallet, refund: Refund): Promise<string | null> {
    const { id, recipient } = refund;
    if (recipient === null) return null;
    const token = getToken(this.book, 'ethereum', refund.asset).toLowerCase();
    for (const listed of await this.store.unjournaled.paymentsTo(wallet, recipient, id)) {
      const { nonce, txHash, minedAt: settledAt, payment, refundId, explanation } = listed;
      if (txHash === null || settledAt === null || payment === null) continue;
      const { amount } = payment;
      const isPossible = payment.token === token && amount <= refund.amount && payment.recipient === recipient;
      const isWhole = isPossible && isWholePayment(refund, amount, 'ethereum');
      if (refundId === id && (isWhole || (isPossible && explanation !== null))) {
        await this.store.restore.restoreRefund(fence, {
          refund,
          txHash,
          token: payment.token,
          recipient,
          amount,
          settledAt,
        });
        return `the wallet has already paid it, in ${txHash}`;
      }
      if (refundId === id || (isPossible && (refund.asset === 'ETH' || isWhole)))
        return (
          `the wallet's transaction ${txHash}, which is not in the journal, may have paid it: ` +
          `name it with relayer name ${nonce}`
        );
    }
    return null;
  }
}

/**
 * Finds a transaction of a wallet by its nonce and lists it. A payment on the partner chain has an event, so only those
 * on Ethereum are listed as payments, which operators name.
 *
 * @returns its block; null when the nodes do not have it.
 */
export async function listUnjournaled(
  store: Pick<Store, 'unjournaled'>,
  fence: Fence,
  { connection, side }: BridgeChain,
  wallet: Wallet,
  nonce: bigint,
  range: { readonly from: bigint; readonly to: bigint },
): Promise<bigint | null> {
  const found = await orNull(findTransactionByNonce(connection, wallet.address, nonce, range));
  if (found === null) return null;
  const paid = side === 'ethereum' ? readTransfer(found) : null;
  await store.unjournaled.add(fence, wallet, {
    nonce,
    txHash: found.hash,
    minedAt: new Date(Number(found.timestampSeconds) * 1_000),
    payment: paid?.payment ?? null,
    refundId: paid?.refundId ?? null,
  });
  return found.blockNumber;
}

/** Null when the nodes lack the state, do not answer or disagree. */
async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ChainError || error instanceof BaseError) return null;
    throw error;
  }
}
