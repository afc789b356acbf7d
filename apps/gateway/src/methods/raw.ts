import { z } from 'zod';
import type { Backend } from '../backends/backend.js';
import type { Method } from '../jsonrpc/method.js';
import { blockParameter, data, hash } from '../schemas/primitives.js';
import { forward, param } from './forward.js';

/** Blocks and their content in their encoded form (execution-apis). */
export function rawMethods(backend: Backend): readonly Method[] {
  const params = [param('block', blockParameter)];
  return [
    forward(backend, {
      name: 'debug_getRawHeader',
      summary: 'A header as RLP.',
      params,
      result: { name: 'header', schema: data },
    }),
    forward(backend, {
      name: 'debug_getRawBlock',
      summary: 'A block as RLP.',
      params,
      result: { name: 'block', schema: data },
    }),
    forward(backend, {
      name: 'debug_getRawReceipts',
      summary: 'The receipts of a block in EIP-2718 encoding, in order.',
      params,
      result: { name: 'receipts', schema: z.array(data) },
    }),
    forward(backend, {
      name: 'debug_getRawTransaction',
      summary: 'A signed transaction in EIP-2718 encoding; 0x if it is unknown.',
      params: [param('transactionHash', hash)],
      result: { name: 'transaction', schema: data },
    }),
  ];
}
