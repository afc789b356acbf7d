import { z } from 'zod';
import { accessList } from './access-list.js';
import { address } from './address.js';
import { authorizationList } from './authorization-list.js';
import { data } from './data.js';
import { quantity64 } from './quantity-64.js';
import { quantity } from './quantity.js';

const fields = {
  from: address.nullish().describe('Who sends; the zero address when left out.'),
  to: address.nullish().describe('Whom it is sent to; left out or null for the creation of a contract.'),
  gas: quantity64.nullish().describe('Units of gas at most.'),
  gasPrice: quantity.nullish().describe('Wei for a unit of gas; not together with maxFeePerGas.'),
  maxFeePerGas: quantity.nullish().describe('Wei for a unit of gas at most (EIP-1559).'),
  maxPriorityFeePerGas: quantity.nullish().describe('Wei of it for the producer of the block (EIP-1559).'),
  value: quantity
    .nullish()
    .describe('Wei sent along; a multiple of 10^10 on a chain whose coin has 8 decimals inside.'),
  data: data.nullish().describe('What is sent to the contract, or the code that creates one.'),
  input: data.nullish().describe('The same as data, by its newer name; if both are given they must be equal.'),
  nonce: quantity64.nullish(),
  accessList: accessList.nullish(),
  type: z.enum(['0x0', '0x1', '0x2', '0x4'], 'must be one of 0x0, 0x1, 0x2, 0x4').nullish(),
  chainId: quantity.nullish().describe('Must be that of this chain.'),
  authorizationList: authorizationList.nullish(),
  blobVersionedHashes: z.array(z.unknown()).max(0, 'blobs are not offered').nullish(),
};

/**
 * A transaction that is only tried (eth_call, eth_estimateGas). Unknown fields are left out, as clients send extras; fields that are null count as left
 * out; `input` is passed on as `data`.
 */
export const callRequest = z
  .object(fields, 'must be a transaction object')
  .superRefine((request, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (typeof request.data === 'string' && typeof request.input === 'string' && request.data !== request.input) {
      refuse('input', 'differs from data; give one of them');
    }
    const dynamic = (request.maxFeePerGas ?? request.maxPriorityFeePerGas ?? null) !== null;
    if (dynamic && (request.gasPrice ?? null) !== null) {
      refuse('gasPrice', 'cannot be combined with maxFeePerGas or maxPriorityFeePerGas');
    }
  })
  .transform(({ input, blobVersionedHashes: _none, ...request }): Readonly<Record<string, unknown>> => {
    const merged = { ...request, data: request.data ?? input };
    return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined && value !== null));
  })
  .meta({
    id: 'CallRequest',
    title: 'call',
    description: 'A transaction to be tried. All fields are optional; unknown ones are ignored.',
  });
