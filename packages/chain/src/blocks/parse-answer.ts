import type { z } from 'zod';
import { InconsistentBlockError } from '../rpc/chain-error.js';

/**
 * Reads what a node answered about a block.
 *
 * @throws InconsistentBlockError naming the field that is missing or malformed.
 */
export function parseAnswer<S extends z.ZodType>(schema: S, answer: unknown, number: bigint): z.output<S> {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new InconsistentBlockError(number, `${issue?.path.join('.')} ${issue?.message}`);
}
