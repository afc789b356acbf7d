import type { Backend } from '../backends/backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import { forward } from './forward.js';
import type { Method } from './method.js';

/** A method that the backend answers, where what does not exist is a null result, as every client expects, also from nodes that call it an error. */
export function lookUp(backend: Backend, method: Omit<Method, 'run'>): Method {
  // Not plainly: what a node calls an error could not be made a null.
  const { plain: _none, ...forwarded } = forward(backend, method);
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
