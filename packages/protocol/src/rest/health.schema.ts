import { z } from 'zod';

const component = z.object({ connected: z.boolean(), latencyMs: z.int().nullable() });

/** `GET /health`: 200 when healthy, 503 with the same shape when not. */
export const healthResponseSchema = z.object({
  status: z.enum(['healthy', 'unhealthy']),
  components: z.record(z.string(), component),
});
/** The body of `GET /health`. */
export type HealthResponse = z.output<typeof healthResponseSchema>;
