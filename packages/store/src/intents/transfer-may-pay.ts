import { Prisma } from '../generated/prisma/client.js';
import { CLOCKS_DIFFER_MS } from './payment-window.js';

// The one question, in SQL, of who is paired and of who must not expire. In all of it `t` is a transfer, `i` an intent and
// `o` its operation.

const windowOf = (intent: 'i' | 'rival') =>
  Prisma.sql`t.mined_at BETWEEN ${Prisma.raw(intent)}.created_at - ${CLOCKS_DIFFER_MS} * interval '1 millisecond'
    AND ${Prisma.raw(intent)}.expires_at`;

/** The condition that a transfer may pay a pending intent. */
export const TRANSFER_MAY_PAY = Prisma.sql`
  o.id = i.id AND o.status = 'PENDING_ORIGIN_TX' AND o.sender = t.payer AND o.amount = t.amount
  AND o.origin_chain_id = t.chain_id AND t.operation_id IS NULL AND ${windowOf('i')}`;

/**
 * The condition, on pairs of which `TRANSFER_MAY_PAY` holds grouped by transfer, that the transfer could pay one intent
 * alone. An intent that has expired since counts: it may be the one that was meant, and the bridge does not guess.
 */
export const MAY_PAY_ONE_ALONE = Prisma.sql`
  count(*) = 1 AND NOT EXISTS (
    SELECT 1 FROM intent rival JOIN operation expired ON expired.id = rival.id
    WHERE rival.sender = t.payer AND expired.status = 'EXPIRED' AND expired.amount = t.amount
      AND expired.origin_chain_id = t.chain_id AND ${windowOf('rival')})`;
