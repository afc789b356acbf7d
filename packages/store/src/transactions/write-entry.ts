import type { Prisma } from '../generated/prisma/client.js';
import type { JournalledTransaction, SignedTransaction } from './journalled-transaction.js';
import type { Wallet } from './reserve-nonce.js';

/** What a transaction is signed for. */
export type Subject = { readonly operationId: string } | { readonly retirementId: bigint };

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
