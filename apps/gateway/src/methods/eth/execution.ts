import type { Backend } from '../../backends/backend.js';
import type { Method } from '../../jsonrpc/types.js';
import { blockParameter } from '../../schemas/block-params.js';
import { callRequest, traceOptions, noStateOverrides } from '../../schemas/call-request.js';
import { data, hash, quantity64 } from '../../schemas/primitives.js';
import { callFrame } from '../../schemas/results.js';
import { forward, forwardCall, param } from '../forward.js';

/** Execution of code, and its trace (spec "Standard methods"). A revert is -32000 with its bytes in `data`. */
export function executionMethods(backend: Backend): readonly Method[] {
  const params = [
    param('call', callRequest),
    param('block', blockParameter.default('latest'), 'latest when left out.'),
    param('stateOverrides', noStateOverrides, 'Not offered: left out, null or an empty object.'),
  ];
  return [
    forwardCall(backend, {
      name: 'eth_call',
      summary: 'Call without creating a transaction; answers the bytes that the code returned.',
      params,
      result: { name: 'returned', schema: data },
    }),
    forwardCall(backend, {
      name: 'eth_estimateGas',
      summary:
        'Gas estimate: about 587,000 for a transfer to an address that does not exist yet, 21,000 to one that does. Never hardcode it.',
      params,
      result: { name: 'gas', schema: quantity64 },
      example: {
        params: [
          {
            from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
            to: '0x000000000000000000000000000000000000dead',
            value: '0xde0b6b3a7640000',
          },
        ],
        result: '0x5208',
      },
    }),
    forward(backend, {
      name: 'debug_traceTransaction',
      summary:
        'The call tree of a transaction in a block. -32001 for one that was too large to be stored completely: it will never be available.',
      params: [
        param('transactionHash', hash),
        param('options', traceOptions.default({ tracer: 'callTracer' }), 'The callTracer when left out.'),
      ],
      result: { name: 'callFrame', schema: callFrame },
    }),
  ];
}
