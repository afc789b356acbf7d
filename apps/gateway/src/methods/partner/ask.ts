import { z } from 'zod';
import type { Backend } from '../../backends/backend.js';

/**
 * Asks the backend and reads the answer.
 *
 * @throws RpcError of the backend, or Error when it answered something else.
 */
export async function ask<T>(
  backend: Backend,
  schema: z.ZodType<T>,
  method: string,
  params: readonly unknown[] = [],
): Promise<T> {
  const parsed = schema.safeParse(await backend.request(method, params));
  if (parsed.success) return parsed.data;
  throw new Error(`The backend answered ${method} with something else`, { cause: parsed.error });
}
