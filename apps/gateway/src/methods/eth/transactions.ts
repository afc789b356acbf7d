import type { Backend } from '../../backends/backend.js';
import type { Method } from '../../jsonrpc/types.js';
import { blockNumberOrTag } from '../../schemas/block-params.js';
import { data, hash, quantity64 } from '../../schemas/primitives.js';
import { receipt, transaction } from '../../schemas/results.js';
import { forward, lookUp, param } from '../forward.js';

/** Sending transactions and looking them up (spec "Standard methods"). Missing ones are a null result. */
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
