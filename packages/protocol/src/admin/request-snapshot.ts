import { z } from 'zod';
import { DELAY_REASONS } from '../operations.js';
import { REFUND_STATUSES } from '../refunds.js';
import { address, amountText, asset, chainId, hash32, status, timestamp } from '../rest/fields.js';
import { ADMIN_ROLES } from './roles.js';

const about = <Word extends string>(word: Word) => z.literal(word);

/**
 * The state that a request is decided on. It contains only the facts that an approver must know, so that unrelated
 * changes do not make the request stale. Amounts in atomic units.
 */
export const requestSnapshotSchema = z.discriminatedUnion('about', [
  z.strictObject({ about: about('nothing') }),
  z.strictObject({
    about: about('operation'),
    status,
    delayedReason: z.enum(DELAY_REASONS).nullable(),
    isPaused: z.boolean().describe('True while the operation is DELAYED until a known time.'),
  }),
  z.strictObject({
    about: about('delivery'),
    status,
    isHalted: z.boolean(),
    chainId,
    sender: address.describe('The wallet whose nonce the cancellation uses.'),
    nonce: z.string().regex(/^\d+$/),
    operationIds: z.array(hash32).readonly(),
    isCancelled: z.boolean(),
  }),
  z.strictObject({
    about: about('halt'),
    halt: z.strictObject({ since: timestamp, reason: z.string() }).nullable().describe('The halt in force.'),
    unknown: z
      .array(
        z.strictObject({
          name: z.string(),
          operationId: z.string(),
          chainId,
          txHash: hash32,
          logIndex: z.int(),
          args: z.record(z.string(), z.string()).readonly().describe('Arguments of the event.'),
        }),
      )
      .readonly()
      .describe(
        'Deliveries that pay no known operation, and reopenings of paid numbers, that no operator has accepted. Empty for a chain.',
      ),
  }),
  z.strictObject({
    about: about('refund'),
    status: z.enum(REFUND_STATUSES),
    operationId: hash32,
    chainId,
    asset,
    amount: amountText,
    payer: address,
    recipient: address.nullable().describe('The recipient approved last.'),
  }),
  z.strictObject({
    about: about('intent'),
    sender: address,
    recipient: address,
    amount: amountText,
    isOpen: z.boolean().describe('True while the intent can still fail: nothing was released and it has not ended.'),
    isRejected: z.boolean(),
  }),
  z.strictObject({
    about: about('member'),
    role: z
      .enum(ADMIN_ROLES)
      .nullable()
      .describe('Role given by a request; null for an address that no request added.'),
  }),
]);
/** The state of one kind of subject. */
export type RequestSnapshot = Readonly<z.output<typeof requestSnapshotSchema>>;

/** Returns a stored state unchanged, since its hash is signed; null for an invalid state. */
export function parseRequestSnapshot(stored: unknown): RequestSnapshot | null {
  return requestSnapshotSchema.safeParse(stored).success ? (stored as RequestSnapshot) : null;
}
