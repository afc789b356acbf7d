import { z } from 'zod';
import type { ErrorResponse, HealthResponse } from '../answers/service.js';
import { BridgeError, ERROR_CODES, type ErrorCode } from '../errors.js';
import { chainId, timestamp } from './fields.js';

/**
 * Checks a request of a client against its schema.
 *
 * @throws BridgeError VALIDATION_ERROR that names the first wrong or unknown field.
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

/** The body of every failing request. */
export const errorResponseSchema = z.object({
  error: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]).describe('Decides what a client does.'),
  message: z.string().describe('A sentence for people; of a VALIDATION_ERROR it begins with the field.'),
}) satisfies z.ZodType<ErrorResponse>;

/** The nodes of a chain: how many there are, can be used now, and must agree. */
const nodeCounts = z.object({
  configured: z.int().describe('Nodes in the configuration.'),
  usable: z.int().describe('Nodes that can be used now.'),
  required: z.int().describe('Nodes that must agree.'),
});

const component = z.object({
  connected: z.boolean().describe('Whether it works.'),
  latencyMs: z.int().nullable().describe('How long it took to answer, in milliseconds.'),
  nodes: nodeCounts.optional().describe('Of a chain.'),
  problem: z.string().optional().describe('Of a component that answers and does not work: a sentence.'),
});

/** A chain on which nothing moves until an operator lifts the halt. */
const halt = z.object({ chainId, since: timestamp.describe('When it was halted.') });

/** `GET /health`: 200 when healthy, otherwise 503 with the same shape. `halts` is present while a chain is halted. */
export const healthResponseSchema = z.object({
  status: z.enum(['healthy', 'unhealthy']).describe('Of the whole.'),
  components: z.record(z.string(), component).describe('Everything that was looked at, by its name.'),
  halts: z.array(halt).min(1).optional().describe('Chains on which nothing moves until an operator lifts the halt.'),
}) satisfies z.ZodType<HealthResponse>;
