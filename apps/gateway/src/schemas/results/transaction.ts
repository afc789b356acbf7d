import { z } from 'zod';
import { accessList } from '../access-list.js';
import { address } from '../address.js';
import { authorizationList } from '../authorization-list.js';
import { data } from '../data.js';
import { hash } from '../hash.js';
import { quantity64 } from '../quantity-64.js';
import { quantity } from '../quantity.js';

const common = {
  hash,
  blockHash: hash.nullable().describe('Null while the transaction waits for a block.'),
  blockNumber: quantity64.nullable().describe('Null while the transaction waits for a block.'),
  transactionIndex: quantity64.nullable().describe('Null while the transaction waits for a block.'),
  from: address,
  to: address.nullable().describe('Null for the creation of a contract.'),
  nonce: quantity64,
  gas: quantity64.describe('Units of gas at most.'),
  gasPrice: quantity.describe('Wei paid for a unit of gas, or offered while it waits.'),
  value: quantity.describe('Wei.'),
  input: data,
  v: quantity,
  r: quantity,
  s: quantity,
};
const typed = { ...common, chainId: quantity, yParity: quantity, accessList };
const dynamicFee = { ...typed, maxFeePerGas: quantity, maxPriorityFeePerGas: quantity };

/** A transaction of any of Ethereum's types. Type 3 (blobs, EIP-4844) occurs on other chains only. */
export const transaction = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('0x0'), ...common, chainId: quantity.optional() }).meta({ title: 'legacy' }),
    z.looseObject({ type: z.literal('0x1'), ...typed }).meta({ title: 'with access list (EIP-2930)' }),
    z.looseObject({ type: z.literal('0x2'), ...dynamicFee }).meta({ title: 'with dynamic fee (EIP-1559)' }),
    z
      .looseObject({
        type: z.literal('0x3'),
        ...dynamicFee,
        maxFeePerBlobGas: quantity,
        blobVersionedHashes: z.array(hash),
      })
      .meta({ title: 'with blobs (EIP-4844)' }),
    z
      .looseObject({ type: z.literal('0x4'), ...dynamicFee, authorizationList })
      .meta({ title: 'with authorizations (EIP-7702)' }),
  ])
  .meta({
    id: 'Transaction',
    title: 'transaction',
    description: 'A signed transaction and where it stands in the chain.',
  });
