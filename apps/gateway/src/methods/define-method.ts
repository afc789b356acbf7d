import type { z } from 'zod';
import type { Method } from './method.js';
import type { TypedParam } from './param.js';

type Values<Params extends readonly TypedParam<z.ZodType>[]> = {
  readonly [Index in keyof Params]: Params[Index] extends TypedParam<infer Schema> ? z.output<Schema> : never;
};

/** A method whose `run` takes what its params' schemas give. */
export function defineMethod<const Params extends readonly TypedParam<z.ZodType>[]>(
  method: Omit<Method<Values<Params>>, 'params'> & { readonly params: Params },
): Method {
  return method;
}
