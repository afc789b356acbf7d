import type { Backend } from '../backend/backend.js';
import type { Method } from './method.js';

/** A method that the backend answers as it is, once its params are checked and completed. Trailing params that were left out are not sent. */
export function forward(backend: Backend, method: Omit<Method, 'run'>): Method {
  return {
    ...method,
    run: (params, { ip }) =>
      backend.request(method.name, params.slice(0, params.findLastIndex((value) => value !== undefined) + 1), ip),
  };
}
