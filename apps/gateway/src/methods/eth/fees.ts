import type { Backend } from '../../backends/backend.js';
import type { Method } from '../../jsonrpc/types.js';
import { blockNumberOrTag, blockCount, percentiles } from '../../schemas/block-params.js';
import { quantity } from '../../schemas/primitives.js';
import { feeHistory } from '../../schemas/results.js';
import { forward, param } from '../forward.js';

/** The price of gas (spec "Standard methods"; EIP-1559). */
export function feeMethods(backend: Backend): readonly Method[] {
  return [
    forward(backend, {
      name: 'eth_gasPrice',
      summary: 'Gas price in wei.',
      params: [],
      result: { name: 'gasPrice', schema: quantity },
      example: { params: [], result: '0x3b9aca00' },
    }),
    forward(backend, {
      name: 'eth_maxPriorityFeePerGas',
      summary: 'Max priority fee per gas in wei.',
      params: [],
      result: { name: 'maxPriorityFeePerGas', schema: quantity },
      example: { params: [], result: '0x1dcd6500' },
    }),
    forward(backend, {
      name: 'eth_feeHistory',
      summary: 'Base fees, use of gas and priority fees of the last blocks.',
      params: [
        param('blockCount', blockCount),
        param('newestBlock', blockNumberOrTag),
        param('rewardPercentiles', percentiles.default([]), 'None when left out.'),
      ],
      result: { name: 'feeHistory', schema: feeHistory },
    }),
  ];
}
