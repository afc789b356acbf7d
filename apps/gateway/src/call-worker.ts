import { PartnerChainError } from '@causeway/partner-chain';
import { serveCalls } from '@causeway/partner-chain/calls';
import { RpcError } from './jsonrpc/errors.js';
import { checkParams } from './jsonrpc/method.js';
import { simulationMethods } from './methods/simulation.js';
import { stateMethods } from './methods/state.js';
import { callHandlers } from './backends/embedded/call-handlers.js';
import { quantity } from './backends/embedded/format-transactions.js';

/** A thread of the embedded chain: it checks the params of a call, runs it, and encodes the result. */
serveCalls((chain) => {
  const eth_chainId = () => quantity(chain.options.chainId);
  const handlers = new Map<string, (...params: never[]) => unknown>(
    Object.entries({ eth_chainId, ...callHandlers(chain) }),
  );
  const backend = {
    request: async (method: string, params: readonly unknown[]) => handlers.get(method)?.(...(params as never[])),
  };
  const methods = new Map([...stateMethods(backend), ...simulationMethods(backend)].map((each) => [each.name, each]));
  return async ({ method: name, params }) => {
    const method = methods.get(name);
    if (method === undefined) throw new Error(`${name} is not a call`);
    try {
      const checked = checkParams(method, JSON.parse(params));
      return JSON.stringify(await method.run(checked, { ip: '', connection: null }));
    } catch (error) {
      // The checks throw only for params.
      throw error instanceof RpcError ? new PartnerChainError('INVALID_PARAMS', error.detail ?? '') : error;
    }
  };
});
