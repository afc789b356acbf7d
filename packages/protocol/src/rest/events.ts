import { z } from 'zod';
import { address, hash32 } from './fields.js';
import { bridgeOperationResponseSchema } from './operations.js';

/** `GET /bridge/events`: what a stream is about. Exactly one parameter is given. */
export const eventsQuerySchema = z
  .strictObject({
    id: hash32.optional().describe('One operation: its depositId, withdrawId or intentId. It may not exist yet.'),
    originTxHash: hash32.optional().describe('The operations that begin in this transaction, also before it is mined.'),
    address: address.optional().describe('All operations of a wallet, as sender or recipient.'),
  })
  .superRefine((query, context) => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    if (given.length === 1) return;
    const message = given.length === 0 ? 'or originTxHash or address must be given' : 'must be the only parameter';
    context.addIssue({ code: 'custom', path: [given.at(-1)?.[0] ?? 'id'], message });
  });
/** A checked query of `GET /bridge/events`: lower-case. */
export type EventsQuery = z.output<typeof eventsQuerySchema>;

/** The header of a client that continues. Ids of events are opaque to clients, and the same for all replicas. */
export const eventsHeadersSchema = z.object({
  'Last-Event-ID': z
    .string()
    .regex(/^\d{1,18}$/, 'must be the id of an event')
    .transform(BigInt)
    .optional()
    .describe('The id of the last event that arrived. The stream continues after it.'),
});

/** The data of a `resync`. */
export const resyncSchema = z.strictObject({});

/** The data of an event. */
export const streamMessageSchema = z.union([bridgeOperationResponseSchema, resyncSchema]);
