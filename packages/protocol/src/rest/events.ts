import { z } from 'zod';
import { address, hash32 } from './fields.js';
import { bridgeOperationResponseSchema } from './operations.js';

/** `GET /bridge/events`: the subject of a stream. Exactly one parameter is required. */
export const eventsQuerySchema = z
  .strictObject({
    id: hash32.optional().describe('One operation: its depositId, withdrawId or intentId, even before it exists.'),
    originTxHash: hash32.optional().describe('The operations that begin in this transaction, even before it is mined.'),
    address: address.optional().describe('All operations of a wallet, as sender or recipient.'),
  })
  .superRefine((query, context) => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    if (given.length === 1) return;
    const message = given.length === 0 ? 'or originTxHash or address must be given' : 'must be the only parameter';
    context.addIssue({ code: 'custom', path: [given.at(-1)?.[0] ?? 'id'], message });
  });
/** A validated query of `GET /bridge/events`, lower-case. */
export type EventsQuery = z.output<typeof eventsQuerySchema>;

/** The header of a client that resumes a stream. Event ids are opaque to clients and valid at every replica. */
export const eventsHeadersSchema = z.object({
  'Last-Event-ID': z
    .string()
    .regex(/^\d{1,18}$/, 'must be the id of an event')
    .transform(BigInt)
    .optional()
    .describe('Id of the last received event. The stream resumes after it.'),
});

/** The data of a `resync`. */
export const resyncSchema = z.strictObject({});

/** The data of an event. */
export const streamMessageSchema = z.union([bridgeOperationResponseSchema, resyncSchema]);
