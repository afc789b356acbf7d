import { Prisma } from '../generated/prisma/client.js';

/**
 * Milliseconds that the clock of the chain may be behind ours. A transfer must come after its intent was accepted: an
 * earlier one belongs to no intent, and operators may have refunded it already.
 */
const CLOCK_TOLERANCE_MS = 60_000;

/** The time in which a transfer pays an intent. */
export interface PaymentWindow {
  /** When the intent was accepted. */
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Whether a transfer of this chain time may pay an intent. */
export function isInWindow(minedAt: Date, { createdAt, expiresAt }: PaymentWindow): boolean {
  return minedAt.getTime() >= createdAt.getTime() - CLOCK_TOLERANCE_MS && minedAt <= expiresAt;
}

// The same rule in SQL. One rule decides which transfer is bound and which intent must not expire. `t` is a transfer,
// `i` an intent and `o` its operation.

const windowOf = (intent: 'i' | 'rival') =>
  Prisma.sql`t.mined_at BETWEEN ${Prisma.raw(intent)}.created_at - ${CLOCK_TOLERANCE_MS} * interval '1 millisecond'
    AND ${Prisma.raw(intent)}.expires_at`;

/** The condition that a transfer may pay a pending intent. */
export const TRANSFER_MAY_PAY = Prisma.sql`
  o.id = i.id AND o.status = 'PENDING_ORIGIN_TX' AND o.sender = t.payer AND o.amount = t.amount AND t.asset = 'XCN'
  AND NOT t.is_to_former_wallet
  AND o.origin_chain_id = t.chain_id AND t.operation_id IS NULL AND ${windowOf('i')}`;

/**
 * The condition that a transfer may pay exactly one intent, for rows that meet `TRANSFER_MAY_PAY`, grouped by transfer.
 * An intent that has expired since then counts as a second one: the bridge does not guess which one the sender meant.
 */
export const MAY_PAY_ONE_ONLY = Prisma.sql`
  count(*) = 1 AND NOT EXISTS (
    SELECT 1 FROM intent rival JOIN operation expired ON expired.id = rival.id
    WHERE rival.sender = t.payer AND expired.status = 'EXPIRED' AND expired.amount = t.amount
      AND expired.origin_chain_id = t.chain_id AND ${windowOf('rival')})`;

/**
 * Whether a transfer that was read is about to be bound to this intent: the intent names it, or is the only one that it
 * may pay. Such an intent must not expire.
 */
export async function isAboutToBePaid(tx: Prisma.TransactionClient, id: string): Promise<boolean> {
  const found = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM inbound_transfer t, intent i, operation o
    WHERE t.payer = (SELECT sender FROM intent WHERE id = ${id}) AND ${TRANSFER_MAY_PAY}
    GROUP BY t.chain_id, t.tx_hash, t.asset, t.call_index
    HAVING bool_or(i.id = ${id})
      AND (${MAY_PAY_ONE_ONLY} OR bool_or(i.id = ${id} AND i.proposed_origin_tx_hash = t.tx_hash))
    LIMIT 1`;
  return found.length > 0;
}
