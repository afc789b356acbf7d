import type { z } from 'zod';
import { RpcError } from './errors.js';
import type { Method, MethodParam } from './types.js';

/** Longest explanation that is sent back: the message of a schema may quote the caller. */
const MAX_EXPLANATION = 200;

/**
 * Checks the params of a call against the schemas of its method and completes them by their defaults.
 *
 * @throws RpcError -32602 that names the first wrong param and the reason.
 */
export function checkParams(method: Method, given: unknown): readonly unknown[] {
  // Some clients send null for no params.
  const values: unknown = given ?? [];
  if (!Array.isArray(values)) {
    throw new RpcError('INVALID_PARAMS', 'params must be an array; named params are not offered');
  }
  if (values.length > method.params.length) throw new RpcError('INVALID_PARAMS', tooMany(method));
  return method.params.map((param, index) => checkParam(param, index, values[index]));
}

function checkParam(param: MethodParam, index: number, given: unknown): unknown {
  // Clients that send params by position write null for an optional one.
  const value = given === null && !param.required ? undefined : given;
  if (value === undefined && param.required) {
    throw new RpcError('INVALID_PARAMS', `params[${index}] (${param.name}) is missing`);
  }
  const parsed = param.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new RpcError('INVALID_PARAMS', explain(`params[${index}]`, param, parsed.error), { cause: parsed.error });
}

function explain(name: string, param: MethodParam, error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return `${name} (${param.name}) is wrong`;
  const text = `${name}${issue.path.map(pathPart).join('')} (${param.name}): ${issue.message}`;
  return text.length > MAX_EXPLANATION ? `${text.slice(0, MAX_EXPLANATION)}…` : text;
}

function pathPart(part: PropertyKey): string {
  return typeof part === 'number' ? `[${part}]` : `.${String(part)}`;
}

function tooMany(method: Method): string {
  const most = method.params.length;
  if (most === 0) return `${method.name} takes no params`;
  return `${method.name} takes at most ${most} ${most === 1 ? 'param' : 'params'}`;
}
