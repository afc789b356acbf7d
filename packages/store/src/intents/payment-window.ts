import { Prisma } from '../generated/prisma/client.js';
import { query, sql } from '../sql/query.js';

/**
 * How far the chain's clock can be behind ours, in milliseconds. A transfer must be mined after its intent was
 * accepted: an earlier one belongs to no intent, and may already be refunded.
 */
const CLOCK_TOLERANCE_MS = 60_000;

/** The window in which a transfer pays an intent. */
export interface PaymentWindow {
  /** When the intent was accepted. */
  readonly createdAt: Date;
  /** The next block to read at that moment. Earlier blocks were mined before the intent was accepted. */
  readonly acceptedAtBlock: bigint;
  /** The block at which policy and signature were checked. Attesters sign a release only for a later transfer. */
  readonly judgedAtBlock: bigint;
  readonly expiresAt: Date;
}

/** The position of a transfer on its chain. */
interface MinedTransfer {
  readonly minedAt: Date;
  readonly blockNumber: bigint;
}

/** Whether a transfer is in the payment window of an intent. */
export function isInWindow({ minedAt, blockNumber }: MinedTransfer, window: PaymentWindow): boolean {
  const { createdAt, acceptedAtBlock, judgedAtBlock, expiresAt } = window;
  return (
    blockNumber >= acceptedAtBlock &&
    blockNumber > judgedAtBlock &&
    minedAt.getTime() >= createdAt.getTime() - CLOCK_TOLERANCE_MS &&
    minedAt <= expiresAt
  );
}

// The same rule in SQL. It decides which transfer is bound, which intent must not expire, and which transfer pays no
// intent. `t` is a transfer, `i` an intent and `o` its operation.

/** The condition of `isInWindow`. */
export const IS_IN_WINDOW = sql`
  t.block_number >= i.accepted_at_block AND t.block_number > i.judged_at_block AND t.mined_at <= i.expires_at
  AND t.mined_at >= i.created_at - ${CLOCK_TOLERANCE_MS} * interval '1 millisecond'`;

/** The condition that a transfer can pay a pending intent. */
export const TRANSFER_MAY_PAY = sql`
  o.id = i.id AND o.kind = 'INTENT' AND o.status = 'PENDING_ORIGIN_TX' AND o.sender = t.payer AND o.amount = t.amount
  AND t.asset = 'XCN' AND o.origin_chain_id = t.chain_id AND NOT t.is_to_former_wallet
  AND t.operation_id IS NULL AND ${IS_IN_WINDOW}`;

/**
 * Whether a stored transfer can pay this intent. The transfer will be bound to it or to an equal intent, so the intent
 * must not expire before that.
 */
export async function isAboutToBePaid(tx: Prisma.TransactionClient, id: string): Promise<boolean> {
  const found = await query(tx)`
    SELECT 1 FROM inbound_transfer t, intent i, operation o
    WHERE i.id = ${id} AND t.payer = i.sender AND ${TRANSFER_MAY_PAY} LIMIT 1`;
  return found.length > 0;
}
