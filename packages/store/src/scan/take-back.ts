import type { Prisma } from '../generated/prisma/client.js';
import { rollBackOperations } from './roll-back-operations.js';

/**
 * Forgets, in the caller's transaction, which has the chain alone, everything that was read after `ancestor`, and puts the
 * cursor behind it. Operations that were final keep what is known of them.
 */
export async function rollBackTo(tx: Prisma.TransactionClient, chainId: number, ancestor: bigint): Promise<void> {
  await rollBackOperations(tx, chainId, ancestor);
  const later = { chainId, blockNumber: { gt: ancestor } };
  await tx.inboundTransfer.deleteMany({ where: later });
  await tx.chainEvent.deleteMany({ where: later });
  await tx.chainBlock.deleteMany({ where: { chainId, number: { gt: ancestor } } });
  await tx.chainCursor.update({ where: { chainId }, data: { nextBlock: ancestor + 1n } });
}
