import { z } from 'zod';

const component = z.object({ connected: z.boolean(), latencyMs: z.int().nullable() });

/** A chain on which nothing moves until an operator lifts the halt. */
const halt = z.object({ chainId: z.int(), since: z.iso.datetime() });

/** `GET /health`: 200 when healthy, 503 with the same shape when not. Only while a chain is halted it has `halts`. */
export const healthResponseSchema = z.object({
  status: z.enum(['healthy', 'unhealthy']),
  components: z.record(z.string(), component),
  halts: z.array(halt).min(1).optional(),
});
/** The body of `GET /health`. */
export type HealthResponse = z.output<typeof healthResponseSchema>;
