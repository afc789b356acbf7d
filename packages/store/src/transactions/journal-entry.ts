import type { Address, Hex } from 'viem';
import type { JournalEntry as JournalModel, Prisma } from '../generated/prisma/client.js';

/** A transaction as it was signed. Fees in wei per gas. */
export interface SignedTransaction {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** A transaction of the journal, for any purpose. */
export interface JournalledTransaction extends SignedTransaction {
  readonly purpose: 'DELIVERY' | 'CANCELLATION' | 'RETIREMENT' | 'SWEEP';
  readonly chainId: number;
  readonly sender: Address;
  readonly state: 'PENDING' | 'REPLACED' | 'CONFIRMED' | 'REVERTED';
  readonly createdAt: Date;
}

/** The wallet of a chain. */
export interface Wallet {
  readonly chainId: number;
  readonly address: Address;
}

/** What a transaction is signed for. */
type Subject = { readonly operationId: string } | { readonly retirementId: bigint } | { readonly sweepId: bigint };

/**
 * The final use of the nonce of a retirement or sweep: by a transaction of the journal, or by another one (`taken`).
 * `done`: the transaction that was wanted succeeded.
 */
export type NonceUse =
  | { readonly kind: 'done' | 'reverted' | 'cancelled'; readonly txHash: Hex; readonly block: MinedIn }
  | { readonly kind: 'taken' };

/** The block of a receipt. */
interface MinedIn {
  readonly number: bigint;
  readonly hash: Hex;
}

/** Converts a row of the journal. */
export function toJournalled(row: JournalModel): JournalledTransaction {
  return {
    hash: row.txHash as Hex,
    raw: row.raw as Hex,
    nonce: row.nonce,
    gas: row.gas,
    maxFeePerGas: row.maxFeePerGas,
    maxPriorityFeePerGas: row.maxPriorityFeePerGas,
    purpose: row.purpose,
    chainId: row.chainId,
    sender: row.sender as Address,
    state: row.state,
    createdAt: row.createdAt,
  };
}

/**
 * Reserves the next nonce of a wallet in the caller's transaction. When that transaction fails, the nonce stays unused.
 *
 * @param chainNonce the wallet's next nonce on the chain. The result is never below it, even after a restored backup.
 */
export async function reserveNonce(tx: Prisma.TransactionClient, wallet: Wallet, chainNonce: bigint): Promise<bigint> {
  const key = { chainId: wallet.chainId, address: wallet.address };
  await tx.walletNonce.createMany({ data: { ...key, nextNonce: chainNonce }, skipDuplicates: true });
  const [row] = await tx.$queryRaw<{ next_nonce: bigint }[]>`
    UPDATE wallet_nonce SET next_nonce = greatest(next_nonce, ${chainNonce}) + 1
    WHERE chain_id = ${key.chainId} AND address = ${key.address} RETURNING next_nonce`;
  if (row === undefined) throw new Error(`No nonce row for ${key.address} on chain ${key.chainId}`);
  return row.next_nonce - 1n;
}

/** Stores a signed transaction in the caller's transaction. */
export async function writeEntry(
  tx: Prisma.TransactionClient,
  subject: Subject,
  wallet: Wallet,
  signed: SignedTransaction,
  purpose: JournalledTransaction['purpose'],
): Promise<void> {
  const { hash, raw, nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = signed;
  const transaction = { txHash: hash, raw, nonce, gas, maxFeePerGas, maxPriorityFeePerGas };
  const { chainId, address: sender } = wallet;
  await tx.journalEntry.create({ data: { ...transaction, ...subject, chainId, sender, purpose } });
}

/**
 * Stores a replacement transaction: a signed transaction with the nonce of a pending one.
 *
 * @returns false when the previous transaction is not pending any more.
 */
export async function replaceTransaction(
  tx: Prisma.TransactionClient,
  previous: JournalledTransaction,
  subject: Subject,
  signed: SignedTransaction,
  purpose: JournalledTransaction['purpose'],
): Promise<boolean> {
  if (signed.nonce !== previous.nonce)
    throw new Error(`Nonce ${signed.nonce} does not replace nonce ${previous.nonce}`);
  const live = { txHash: previous.hash, state: 'PENDING' as const };
  const { count } = await tx.journalEntry.updateMany({ where: live, data: { state: 'REPLACED' } });
  if (count === 0) return false;
  await writeEntry(tx, subject, { chainId: previous.chainId, address: previous.sender }, signed, purpose);
  return true;
}

/**
 * Concludes the journal entries of a nonce whose use is final.
 *
 * @returns false when they were concluded before.
 */
export async function concludeNonce(
  tx: Prisma.TransactionClient,
  { chainId, sender, nonce }: JournalledTransaction,
  use: NonceUse,
): Promise<boolean> {
  const { count } = await tx.journalEntry.updateMany({
    where: { chainId, sender, nonce, state: 'PENDING' },
    data: { state: use.kind === 'taken' ? 'REVERTED' : 'REPLACED' },
  });
  if (count === 0) return false;
  if (use.kind === 'taken') return true;
  const state = use.kind === 'reverted' ? 'REVERTED' : 'CONFIRMED';
  await tx.journalEntry.update({ where: { txHash: use.txHash, chainId, sender, nonce }, data: { state } });
  return true;
}

/** Whether no block that was read contradicts the one of a nonce's use. Old blocks are not stored any more. */
export async function isOnBranch(tx: Prisma.TransactionClient, chainId: number, use: NonceUse): Promise<boolean> {
  if (use.kind === 'taken') return true;
  const { number, hash } = use.block;
  const row = await tx.chainBlock.findUnique({ where: { chainId_number: { chainId, number } } });
  return row === null || row.hash === hash;
}
