import type { Backend } from '../../backends/backend.js';
import { forward } from '../forward.js';
import { lookUp } from '../look-up.js';
import type { Method } from '../method.js';
import { param } from '../param.js';
import { receipt } from '../../schemas/results/receipt.js';
import { transaction } from '../../schemas/results/transaction.js';
import { blockNumberOrTag } from '../../schemas/block-number-or-tag.js';
import { data } from '../../schemas/data.js';
import { hash } from '../../schemas/hash.js';
import { quantity64 } from '../../schemas/quantity-64.js';

/** Transactions: to send them and to look them up (spec "Standard methods"). What does not exist is a null result. */
export function transactionMethods(backend: Backend): readonly Method[] {
  const transactionHash = param('transactionHash', hash);
  const index = param('transactionIndex', quantity64, 'Position in the block.');
  const found = { name: 'transaction', schema: transaction.nullable() };
  return [
    forward(backend, {
      name: 'eth_sendRawTransaction',
      summary: 'Submit a signed transaction; answers its hash. Refused transactions are -32003.',
      params: [param('transaction', data, 'The signed transaction, as RLP or in an envelope of EIP-2718.')],
      result: { name: 'transactionHash', schema: hash },
    }),
    lookUp(backend, {
      name: 'eth_getTransactionByHash',
      summary: 'Transaction by hash, also while it waits for a block; null if there is none.',
      params: [transactionHash],
      result: found,
    }),
    lookUp(backend, {
      name: 'eth_getTransactionReceipt',
      summary: 'Receipt of a transaction; null until it is in a block.',
      params: [transactionHash],
      result: { name: 'receipt', schema: receipt.nullable() },
    }),
    lookUp(backend, {
      name: 'eth_getTransactionByBlockNumberAndIndex',
      summary: 'Transaction by its place in a block; null if there is none.',
      params: [param('block', blockNumberOrTag), index],
      result: found,
    }),
    lookUp(backend, {
      name: 'eth_getTransactionByBlockHashAndIndex',
      summary: 'Transaction by its place in a block; null if there is none.',
      params: [param('blockHash', hash), index],
      result: found,
    }),
  ];
}
