import { z } from 'zod';
import type { ErrorResponse, HealthResponse } from '../answers/service.js';
import { BridgeError, ERROR_CODES, type ErrorCode } from '../errors.js';
import { chainId, timestamp } from './fields.js';

/**
 * Validates a client's request against its schema.
 *
 * @throws BridgeError VALIDATION_ERROR that names the first invalid or unknown field.
 */
export function parseRequest<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknownKey = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const field = unknownKey ?? issue?.path.join('.') ?? '';
  if (unknownKey !== undefined) throw refuse(unknownKey, 'is not a parameter of this endpoint');
  if (field === '') throw refuse('body', 'must be an object with the fields of this endpoint');
  throw refuse(field, issue?.message ?? 'is not valid');
}

function refuse(field: string, problem: string): BridgeError {
  return new BridgeError('VALIDATION_ERROR', `${field} ${problem}`, { field });
}

/** The body of every error response. */
export const errorResponseSchema = z.object({
  error: z
    .enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]])
    .describe('Error code: a client decides by it.'),
  message: z.string().describe('A sentence for people. For VALIDATION_ERROR it begins with the field.'),
}) satisfies z.ZodType<ErrorResponse>;

/** Counts of a chain's nodes. */
const nodeCounts = z.object({
  configured: z.int().describe('Configured nodes.'),
  usable: z.int().describe('Usable nodes.'),
  required: z.int().describe('Nodes that must agree.'),
});

const component = z.object({
  connected: z.boolean().describe('Whether the component works.'),
  latencyMs: z.int().nullable().describe('Response time in milliseconds.'),
  nodes: nodeCounts.optional().describe('Nodes of a chain.'),
  problem: z.string().optional().describe('Why a component that responds does not work.'),
});

/** A halted chain. Its operations wait until an operator resumes it. */
const halt = z.object({ chainId, since: timestamp.describe('When the chain was halted.') });

/** `GET /health`: 200 when healthy, otherwise 503 with the same shape. */
export const healthResponseSchema = z.object({
  status: z.enum(['healthy', 'unhealthy']).describe('Overall status.'),
  components: z.record(z.string(), component).describe('Checked components by name.'),
  halts: z
    .array(halt)
    .min(1)
    .optional()
    .describe('Halted chains, whose operations wait until an operator resumes them. Absent if there are none.'),
}) satisfies z.ZodType<HealthResponse>;
