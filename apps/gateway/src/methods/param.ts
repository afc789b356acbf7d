import type { z } from 'zod';
import type { MethodParam } from './method.js';

/** A param whose schema is known to the compiler. */
export interface TypedParam<Schema extends z.ZodType> extends MethodParam {
  readonly schema: Schema;
}

/**
 * A param of a method. It is required unless its schema takes `undefined`.
 *
 * @param name as the OpenRPC document and errors call it.
 */
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
