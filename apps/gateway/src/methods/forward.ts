import type { Backend } from '../backends/backend.js';
import type { Method } from './method.js';

/** A method that the backend answers as it is, once its params are checked and completed. Trailing params that were left out are not sent. */
export function forward(backend: Backend, method: Omit<Method, 'run'>): Method {
  return {
    ...method,
    run: (params, { ip }) => backend.request(method.name, withoutTrailing(params), ip),
  };
}

function withoutTrailing(params: readonly unknown[]): readonly unknown[] {
  let count = params.length;
  while (count > 0 && params[count - 1] === undefined) count--;
  return count === params.length ? params : params.slice(0, count);
}
