import type { Prisma } from '../generated/prisma/client.js';
import type { JournalledTransaction, SignedTransaction } from './journalled-transaction.js';
import { writeEntry, type Subject } from './write-entry.js';

/** Puts a transaction in the place of one with its nonce. False when that one is not on its way any more. */
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
