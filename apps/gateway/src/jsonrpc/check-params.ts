import type { z } from 'zod';
import type { Method, MethodParam } from '../methods/method.js';
import { ASK_SCHEMA, quickCheckOf, type QuickCheck } from '../schemas/quick-check.js';
import { RpcError } from './errors.js';

/** Longest explanation that is sent back; what a schema says may quote what the caller sent. */
const EXPLANATION_LENGTH = 200;

/** The quick check of every param that was given before. */
const quickChecks = new WeakMap<MethodParam, QuickCheck>();

/**
 * Checks the params of a call against its method's schemas and completes them by their defaults.
 *
 * @throws RpcError -32602 that names the first param that is wrong and says why.
 */
export function checkParams(method: Method, given: unknown): readonly unknown[] {
  // Some clients write null where there are none.
  const values: unknown = given ?? [];
  if (!Array.isArray(values)) {
    throw new RpcError('INVALID_PARAMS', 'params must be an array; named params are not offered');
  }
  if (values.length > method.params.length) throw new RpcError('INVALID_PARAMS', tooMany(method));
  return method.params.map((param, index) => checkParam(param, index, values[index]));
}

function checkParam(param: MethodParam, index: number, given: unknown): unknown {
  // Clients that write params by position send null for what they leave out.
  const value = given === null && !param.required ? undefined : given;
  if (value === undefined && param.required) {
    throw new RpcError('INVALID_PARAMS', `params[${index}] (${param.name}) is missing`);
  }
  const quick = quickCheckFor(param)(value);
  return quick === ASK_SCHEMA ? askSchema(param, index, value) : quick;
}

function quickCheckFor(param: MethodParam): QuickCheck {
  const known = quickChecks.get(param);
  if (known !== undefined) return known;
  const check = quickCheckOf(param.schema);
  quickChecks.set(param, check);
  return check;
}

function askSchema(param: MethodParam, index: number, value: unknown): unknown {
  const parsed = param.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new RpcError('INVALID_PARAMS', explain(`params[${index}]`, param, parsed.error), { cause: parsed.error });
}

function explain(name: string, param: MethodParam, error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return `${name} (${param.name}) is wrong`;
  const text = `${name}${issue.path.map(pathPart).join('')} (${param.name}): ${issue.message}`;
  return text.length > EXPLANATION_LENGTH ? `${text.slice(0, EXPLANATION_LENGTH)}…` : text;
}

function pathPart(part: PropertyKey): string {
  return typeof part === 'number' ? `[${part}]` : `.${String(part)}`;
}

function tooMany(method: Method): string {
  const most = method.params.length;
  if (most === 0) return `${method.name} takes no params`;
  return `${method.name} takes at most ${most} ${most === 1 ? 'param' : 'params'}`;
}
