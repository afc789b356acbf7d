import type { Prisma } from '../generated/prisma/client.js';
import { MAY_PAY_ONE_ALONE, TRANSFER_MAY_PAY } from './transfer-may-pay.js';

/**
 * Whether a transfer that was read waits to be paired with this intent: the intent names it, or is the only one that it
 * could pay. Such an intent must not expire.
 */
export async function isAboutToBePaid(tx: Prisma.TransactionClient, id: string): Promise<boolean> {
  const found = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM inbound_transfer t, intent i, operation o
    WHERE t.payer = (SELECT sender FROM intent WHERE id = ${id}) AND ${TRANSFER_MAY_PAY}
    GROUP BY t.chain_id, t.tx_hash, t.payer, t.call_index
    HAVING bool_or(i.id = ${id}) AND (${MAY_PAY_ONE_ALONE} OR bool_or(i.id = ${id} AND i.proposed_origin_tx_hash = t.tx_hash))
    LIMIT 1`;
  return found.length > 0;
}
