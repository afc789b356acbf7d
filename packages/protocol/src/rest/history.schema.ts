import { z } from 'zod';
import { address, direction, wholeNumber } from './fields.js';
import { bridgeOperationResponseSchema } from './operation.schema.js';

/** `GET /bridge/history`. Numbers out of range are refused, not clamped. */
export const historyQuerySchema = z.strictObject({
  address,
  limit: wholeNumber(1, 100).default(10),
  offset: wholeNumber(0, 1_000_000_000).default(0),
  direction: direction.optional(),
});
/** A checked query of `GET /bridge/history`: numbers are numbers, the address is lower-case. */
export type HistoryQueryParameters = z.output<typeof historyQuerySchema>;

/** Operations newest first, with what a client needs to ask for the next page. */
export const historyResponseSchema = z.object({
  operations: z.array(bridgeOperationResponseSchema),
  pagination: z.object({ limit: z.int(), offset: z.int(), hasMore: z.boolean() }),
});
/** The body of `GET /bridge/history`. */
export type HistoryResponse = z.output<typeof historyResponseSchema>;
