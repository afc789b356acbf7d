import { Prisma } from '../generated/prisma/client.js';
import { query, sql } from '../sql/query.js';

/**
 * Milliseconds that the clock of the chain may be behind ours. A transfer must come after its intent was accepted: an
 * earlier one belongs to no intent, and may be refunded already.
 */
const CLOCK_TOLERANCE_MS = 60_000;

/** The time in which a transfer pays an intent. */
export interface PaymentWindow {
  /** When the intent was accepted. */
  readonly createdAt: Date;
  /** The next block to be read at that moment. What an earlier one contains was mined before the intent. */
  readonly acceptedAtBlock: bigint;
  /** The block at which policy and signature were read. Attesters release for a later transfer only. */
  readonly judgedAtBlock: bigint;
  readonly expiresAt: Date;
}

/** The place of a transfer on its chain. */
interface MinedTransfer {
  readonly minedAt: Date;
  readonly blockNumber: bigint;
}

/** Whether a transfer may pay an intent by its time. */
export function isInWindow({ minedAt, blockNumber }: MinedTransfer, window: PaymentWindow): boolean {
  const { createdAt, acceptedAtBlock, judgedAtBlock, expiresAt } = window;
  return (
    blockNumber >= acceptedAtBlock &&
    blockNumber > judgedAtBlock &&
    minedAt.getTime() >= createdAt.getTime() - CLOCK_TOLERANCE_MS &&
    minedAt <= expiresAt
  );
}

// The same rule in SQL. One rule decides which transfer is bound, which intent must not expire, and which transfer pays
// nothing. `t` is a transfer, `i` an intent and `o` its operation.

/** The condition that a transfer may pay an intent by its time. */
export const IS_IN_WINDOW = sql`
  t.block_number >= i.accepted_at_block AND t.block_number > i.judged_at_block AND t.mined_at <= i.expires_at
  AND t.mined_at >= i.created_at - ${CLOCK_TOLERANCE_MS} * interval '1 millisecond'`;

/** The condition that a transfer may pay a pending intent. */
export const TRANSFER_MAY_PAY = sql`
  o.id = i.id AND o.kind = 'INTENT' AND o.status = 'PENDING_ORIGIN_TX' AND o.sender = t.payer AND o.amount = t.amount
  AND t.asset = 'XCN' AND o.origin_chain_id = t.chain_id AND NOT t.is_to_former_wallet
  AND t.operation_id IS NULL AND ${IS_IN_WINDOW}`;

/**
 * Whether a transfer that was read may pay this intent. Then it is about to be bound to it or to an equal one, so the
 * intent must not expire before that.
 */
export async function isAboutToBePaid(tx: Prisma.TransactionClient, id: string): Promise<boolean> {
  const found = await query(tx)`
    SELECT 1 FROM inbound_transfer t, intent i, operation o
    WHERE i.id = ${id} AND t.payer = i.sender AND ${TRANSFER_MAY_PAY} LIMIT 1`;
  return found.length > 0;
}
