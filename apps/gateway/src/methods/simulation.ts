import type { Requests } from '../backends/backend.js';
import type { Method } from '../jsonrpc/method.js';
import { callRequest, traceCallOptions, traceOptions } from '../schemas/call-request.js';
import { stateOverrides } from '../schemas/overrides.js';
import { blockNumberOrTag, blockParameter, hash } from '../schemas/primitives.js';
import {
  accessListResult,
  blockTraces,
  simulatedBlocks,
  simulationRequest,
  traceResult,
} from '../schemas/simulations.js';
import { forward, forwardCall, param } from './forward.js';

/** Simulations of calls and blocks, and traces (execution-apis; geth's debug namespace). If nodes lack one: -32004. */
export function simulationMethods(backend: Requests): readonly Method[] {
  const atBlock = param('block', blockParameter.default('latest'), 'Default: latest.');
  const call = param('call', callRequest);
  const options = param('options', traceOptions.default({ tracer: 'callTracer' }), 'Default: the callTracer.');
  const trace = { name: 'trace', schema: traceResult };
  const traces = { name: 'traces', schema: blockTraces };
  return [
    forwardCall(backend, {
      name: 'eth_createAccessList',
      summary: 'The addresses and slots that a call reads, as an access list (EIP-2930), and the gas used with it.',
      params: [call, atBlock, param('stateOverrides', stateOverrides)],
      result: { name: 'accessList', schema: accessListResult },
    }),
    forward(backend, {
      name: 'eth_simulateV1',
      summary: 'Simulates consecutive blocks without storing them: at most 256 blocks, 50 million gas and 5 seconds.',
      params: [param('simulation', simulationRequest), atBlock],
      result: { name: 'blocks', schema: simulatedBlocks },
    }),
    forwardCall(backend, {
      name: 'debug_traceCall',
      summary: 'The trace of a simulated call.',
      params: [call, atBlock, param('options', traceCallOptions.prefault({}))],
      result: trace,
    }),
    forward(backend, {
      name: 'debug_traceTransaction',
      summary:
        'The trace of a mined transaction. -32001 for a call tree that was too large to be stored completely and will never be available.',
      params: [param('transactionHash', hash), options],
      result: trace,
    }),
    forward(backend, {
      name: 'debug_traceBlockByNumber',
      summary: 'The traces of all transactions of a block. An unavailable trace is replaced by an error.',
      params: [param('block', blockNumberOrTag), options],
      result: traces,
    }),
    forward(backend, {
      name: 'debug_traceBlockByHash',
      summary: 'The traces of all transactions of a block, by its hash.',
      params: [param('blockHash', hash), options],
      result: traces,
    }),
  ];
}
