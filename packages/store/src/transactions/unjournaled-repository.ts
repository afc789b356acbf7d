import type { Pool } from 'pg';
import type { Address, Hex } from 'viem';
import type { Prisma, PrismaClient, UnjournaledTransaction as Row } from '../generated/prisma/client.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import type { Wallet } from './wallet-call.js';
import { query } from '../sql/query.js';

/** A payment by a plain transfer. `token`: the zero address for the coin. `amount` in atomic units. */
export interface BarePayment {
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
}

/** A wallet's transaction that is missing from the journal. */
export interface UnjournaledTransaction {
  readonly nonce: bigint;
  /** Null when no node returns it and an operator named its nonce. */
  readonly txHash: Hex | null;
  /** Chain time; null without `txHash`. */
  readonly minedAt: Date | null;
  /** Null unless the transaction is a successful plain transfer. */
  readonly payment: BarePayment | null;
  /** The refund that it paid, from the id after its call data or as named by an operator. */
  readonly refundId: Hex | null;
  /** By the operator who named it. */
  readonly explanation: string | null;
}

/** A nonce without a listed transaction and without a call of known outcome. `isPending`: its call has not ended. */
export interface UnknownNonce {
  readonly nonce: bigint;
  readonly isPending: boolean;
}

/** An operator's explanation of a transaction. `refundId`: the refund that it paid; null for none. */
export interface TransactionName {
  readonly wallet: Wallet;
  readonly nonce: bigint;
  readonly refundId: Hex | null;
  readonly explanation: string;
}

/** Most rows of one query. */
const MOST = 500;

/** The relayer wallet's transactions that are missing from the journal, as after the restore of an old backup. */
export class UnjournaledRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /**
   * The nonces from `start` to below `end` without a listed transaction and without a call of known outcome, lowest
   * first, at most 500.
   */
  async unknownNonces({ chainId, address }: Wallet, start: bigint, end: bigint): Promise<UnknownNonce[]> {
    const rows = await query<{ nonce: string; is_pending: boolean }>(this.pool, {
      name: 'unjournaled-unknown-nonces',
      text: `SELECT n AS nonce, c.id IS NOT NULL AND c.state = 'PENDING' AS is_pending
        FROM generate_series($3::bigint, $4::bigint - 1) n
        LEFT JOIN wallet_call c ON c.chain_id = $1 AND c.sender = $2 AND c.nonce = n
        LEFT JOIN unjournaled_transaction u ON u.chain_id = $1 AND u.sender = $2 AND u.nonce = n
        WHERE u.nonce IS NULL AND (c.id IS NULL OR c.state IN ('PENDING', 'TAKEN')) ORDER BY n LIMIT ${MOST}`,
      values: [chainId, address, start.toString(), end.toString()],
    });
    return rows.map(({ nonce, is_pending: isPending }) => ({ nonce: BigInt(nonce), isPending }));
  }

  /** The listed transaction with a nonce. */
  async find({ chainId, address }: Wallet, nonce: bigint): Promise<UnjournaledTransaction | null> {
    const where = { chainId_sender_nonce: { chainId, sender: address, nonce } };
    const row = await this.prisma.unjournaledTransaction.findUnique({ where });
    return row === null ? null : toUnjournaled(row);
  }

  /** The listed payments that name a refund, or that went to a recipient and have no name, ordered by nonce. */
  async paymentsTo({ chainId, address }: Wallet, recipient: Address, refundId: Hex): Promise<UnjournaledTransaction[]> {
    return this.list({
      chainId,
      sender: address,
      OR: [{ refundId }, { recipient, refundId: null, explanation: null }],
    });
  }

  /** The listed payments without a name, ordered by nonce, at most 500. */
  async unnamed({ chainId, address }: Wallet): Promise<UnjournaledTransaction[]> {
    return this.list({ chainId, sender: address, recipient: { not: null }, refundId: null, explanation: null });
  }

  private async list(where: Prisma.UnjournaledTransactionWhereInput): Promise<UnjournaledTransaction[]> {
    const rows = await this.prisma.unjournaledTransaction.findMany({ where, orderBy: { nonce: 'asc' }, take: MOST });
    return rows.map(toUnjournaled);
  }

  /** Lists a transaction as found on the chain. An existing entry stays unchanged. */
  async add(
    fence: Fence,
    { chainId, address: sender }: Wallet,
    { nonce, txHash, minedAt, payment, refundId }: Omit<UnjournaledTransaction, 'explanation'>,
  ): Promise<void> {
    const paid = payment === null ? {} : { ...payment, amount: payment.amount.toString() };
    const data = { chainId, sender, nonce, txHash, minedAt, refundId, ...paid };
    await fencedTransaction(this.prisma, fence, async (tx) => {
      await tx.unjournaledTransaction.createMany({ data, skipDuplicates: true });
    });
  }
}

/**
 * Stores an operator's explanation of a transaction, in the caller's transaction.
 *
 * @returns false when it already has one, or when it names a refund but the transaction is not listed as a payment.
 */
export async function nameTransaction(tx: Prisma.TransactionClient, name: TransactionName): Promise<boolean> {
  const { nonce, refundId, explanation } = name;
  const key = { chainId: name.wallet.chainId, sender: name.wallet.address, nonce };
  const listed = await tx.unjournaledTransaction.findUnique({ where: { chainId_sender_nonce: key } });
  if (listed === null) {
    if (refundId === null) await tx.unjournaledTransaction.create({ data: { ...key, explanation } });
    return refundId === null;
  }
  if (refundId !== null && listed.recipient === null) return false;
  const where = { ...key, explanation: null };
  return (await tx.unjournaledTransaction.updateMany({ where, data: { refundId, explanation } })).count === 1;
}

function toUnjournaled({ nonce, txHash, minedAt, token, recipient, amount, refundId, explanation }: Row) {
  return {
    nonce,
    txHash: txHash as Hex | null,
    minedAt,
    payment:
      token === null || recipient === null || amount === null
        ? null
        : { token: token as Address, recipient: recipient as Address, amount: BigInt(amount.toFixed(0)) },
    refundId: refundId as Hex | null,
    explanation,
  };
}
