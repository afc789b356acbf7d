import type { Backend } from '../backends/backend.js';
import { RpcError } from '../jsonrpc/errors.js';
import { forward } from './forward.js';
import type { Method } from './method.js';
import { ask } from './partner/ask.js';
import { quantity64 } from '../schemas/quantity-64.js';

/** A method that the backend answers, whose first param is a transaction to be tried. One that is meant for another chain is -32602, as geth refuses it. */
export function onThisChain(backend: Backend, method: Omit<Method, 'run'>): Method {
  const forwarded = forward(backend, method);
  return {
    ...forwarded,
    run: (params, context) => {
      const { chainId } = params[0] as { readonly chainId?: string };
      if (chainId === undefined) return forwarded.run(params, context);
      return checkChain(backend, chainId).then(() => forwarded.run(params, context));
    },
  };
}

async function checkChain(backend: Backend, given: string): Promise<void> {
  const own = await ask(backend, quantity64, 'eth_chainId');
  if (given === own) return;
  throw new RpcError('INVALID_PARAMS', `params[0].chainId (call): does not match this chain's, ${own}`);
}
