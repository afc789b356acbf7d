import type { z } from 'zod';
import type { Backend } from '../../backends/backend.js';
import { RpcError, type RpcErrorName } from '../../jsonrpc/errors.js';
import { ask } from './ask.js';

const NOT_OFFERED = new Set<RpcErrorName>(['METHOD_NOT_SUPPORTED', 'METHOD_NOT_FOUND', 'RESOURCE_NOT_FOUND']);

/**
 * Asks the backend what not every node tells.
 *
 * @returns null from a node that does not.
 * @throws RpcError of the backend for any other reason, or Error when it answered something else.
 */
export async function askIfOffered<T>(
  backend: Backend,
  schema: z.ZodType<T>,
  method: string,
  params: readonly unknown[] = [],
): Promise<T | null> {
  try {
    return await ask(backend, schema, method, params);
  } catch (error) {
    if (error instanceof RpcError && NOT_OFFERED.has(error.kind)) return null;
    throw error;
  }
}
