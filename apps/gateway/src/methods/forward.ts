import type { Backend } from '../backends/backend.js';
import type { Method, PlainWay } from './method.js';
import { plainParams } from '../schemas/plain-params.js';

/** A method that the backend answers as it is, once its params are checked and completed. Trailing params that were left out are not sent. */
export function forward(backend: Backend, method: Omit<Method, 'run'>): Method {
  const plain = plainWay(backend, method);
  return {
    ...method,
    ...(plain === null ? {} : { plain }),
    run: (params, { ip }) => backend.request(method.name, withoutTrailing(params), ip),
  };
}

function plainWay(backend: Backend, { name, params }: Omit<Method, 'run'>): PlainWay | null {
  const ask = backend.plainly?.(name) ?? null;
  const pattern = plainParams(params);
  return ask === null || pattern === null ? null : { params: pattern, ask };
}

function withoutTrailing(params: readonly unknown[]): readonly unknown[] {
  let count = params.length;
  while (count > 0 && params[count - 1] === undefined) count--;
  return count === params.length ? params : params.slice(0, count);
}
