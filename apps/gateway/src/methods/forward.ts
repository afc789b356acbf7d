import type { z } from 'zod';
import type { Requests } from '../backends/backend.js';
import { RpcError, type RpcErrorName } from '../jsonrpc/errors.js';
import type { Method, MethodParam } from '../jsonrpc/method.js';
import { quantity64 } from '../schemas/primitives.js';

interface TypedParam<Schema extends z.ZodType> extends MethodParam {
  readonly schema: Schema;
}

type Values<Params extends readonly TypedParam<z.ZodType>[]> = {
  readonly [Index in keyof Params]: Params[Index] extends TypedParam<infer Schema> ? z.output<Schema> : never;
};

/** A param of a method. It is required unless its schema accepts `undefined`. */
export function param<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  description?: string,
): TypedParam<Schema> {
  return {
    name,
    schema,
    required: !schema.safeParse(undefined).success,
    ...(description === undefined ? {} : { description }),
  };
}

/** Defines a method that the gateway answers itself. Its `run` receives the parsed params. */
export function defineMethod<const Params extends readonly TypedParam<z.ZodType>[]>(
  method: Omit<Method<Values<Params>>, 'params'> & { readonly params: Params },
): Method {
  return method;
}

/** Defines a method that the backend answers. Omitted trailing params are not sent. */
export function forward(backend: Requests, method: Omit<Method, 'run'>): Method {
  return { ...method, run: (params, { ip }) => backend.request(method.name, withoutTrailing(params), ip) };
}

/** Like `forward`, but the result is null for missing things, as clients expect, even if a node returns an error. */
export function lookUp(backend: Requests, method: Omit<Method, 'run'>): Method {
  const forwarded = forward(backend, method);
  return {
    ...forwarded,
    run: async (params, context) => {
      try {
        return await forwarded.run(params, context);
      } catch (error) {
        if (error instanceof RpcError && error.kind === 'RESOURCE_NOT_FOUND') return null;
        throw error;
      }
    },
  };
}

/** Like `forward`, for a method whose first param is a transaction: another chain's id in it gets -32602. */
export function forwardCall(backend: Requests, method: Omit<Method, 'run'>): Method {
  const forwarded = forward(backend, method);
  return {
    ...forwarded,
    run: async (params, context) => {
      const { chainId } = params[0] as { readonly chainId?: string };
      if (chainId !== undefined) await checkChain(backend, chainId);
      return forwarded.run(params, context);
    },
  };
}

/** Sends a request to the backend. @throws Error if the result does not match the schema. */
export async function request<T>(
  backend: Requests,
  schema: z.ZodType<T>,
  method: string,
  params: readonly unknown[] = [],
): Promise<T> {
  const parsed = schema.safeParse(await backend.request(method, params));
  if (parsed.success) return parsed.data;
  throw new Error(`The backend answered ${method} with an invalid result`, { cause: parsed.error });
}

const NOT_OFFERED = new Set<RpcErrorName>(['METHOD_NOT_SUPPORTED', 'METHOD_NOT_FOUND', 'RESOURCE_NOT_FOUND']);

/** Like `request`, for an optional method; null if the node does not support it. */
export async function requestIfOffered<T>(
  backend: Requests,
  schema: z.ZodType<T>,
  method: string,
  params: readonly unknown[] = [],
): Promise<T | null> {
  try {
    return await request(backend, schema, method, params);
  } catch (error) {
    if (error instanceof RpcError && NOT_OFFERED.has(error.kind)) return null;
    throw error;
  }
}

async function checkChain(backend: Requests, given: string): Promise<void> {
  const own = await request(backend, quantity64, 'eth_chainId');
  if (given === own) return;
  throw new RpcError('INVALID_PARAMS', `params[0].chainId (call): does not match this chain's, ${own}`);
}

function withoutTrailing(params: readonly unknown[]): readonly unknown[] {
  let count = params.length;
  while (count > 0 && params[count - 1] === undefined) count--;
  return count === params.length ? params : params.slice(0, count);
}
