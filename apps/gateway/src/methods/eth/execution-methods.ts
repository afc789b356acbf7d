import { z } from 'zod';
import type { Backend } from '../../backends/backend.js';
import { forward } from '../forward.js';
import type { Method } from '../method.js';
import { onThisChain } from '../on-this-chain.js';
import { param } from '../param.js';
import { callFrame } from '../../schemas/results/call-frame.js';
import { blockParameter } from '../../schemas/block-parameter.js';
import { callRequest } from '../../schemas/call-request.js';
import { data } from '../../schemas/data.js';
import { hash } from '../../schemas/hash.js';
import { quantity64 } from '../../schemas/quantity-64.js';
import { traceOptions } from '../../schemas/trace-options.js';

/** What clients write who override nothing. */
const noOverrides = z
  .strictObject({}, 'state overrides are not offered')
  .nullable()
  .transform(() => undefined);

/** Code that is run without a transaction, or looked at afterwards (spec "Standard methods"). A revert is -32000 with its bytes in `data`. */
export function executionMethods(backend: Backend): readonly Method[] {
  const params = [
    param('call', callRequest),
    param('block', blockParameter.default('latest'), 'latest when left out.'),
    param('stateOverrides', noOverrides.optional(), 'Not offered: left out, null or an empty object.'),
  ];
  return [
    onThisChain(backend, {
      name: 'eth_call',
      summary: 'Call without creating a transaction; answers what the code returned.',
      params,
      result: { name: 'returned', schema: data },
    }),
    onThisChain(backend, {
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
        'The call tree of a transaction in a block. -32001 for one that was too large to be kept whole: it never will be available.',
      params: [param('transactionHash', hash), param('options', traceOptions)],
      result: { name: 'callFrame', schema: callFrame },
    }),
  ];
}
