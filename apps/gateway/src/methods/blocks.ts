import { z } from 'zod';
import type { Backend } from '../backends/backend.js';
import type { Method, MethodParam } from '../jsonrpc/method.js';
import { blockNumberOrTag, blockParameter, data, hash, quantity64 } from '../schemas/primitives.js';
import { block, receipt, transaction } from '../schemas/results.js';
import { forward, lookUp, param } from './forward.js';

type Described = Pick<Method, 'summary' | 'result'>;

/** Blocks and their content (spec "Standard methods"; EIP-1474). The result for an unknown block is null. */
export function blockMethods(backend: Backend): readonly Method[] {
  const uncleIndex = param('uncleIndex', quantity64, 'Position in the list of uncles.');
  const transactionIndex = param('transactionIndex', quantity64, 'Position in the block.');
  const fullTransactions = param(
    'fullTransactions',
    z.boolean('must be a boolean').default(false),
    'True for transaction objects, false for hashes.',
  );
  const foundBlock = { name: 'block', schema: block.nullable() };
  const count = { name: 'count', schema: quantity64.nullable() };
  const found = { name: 'transaction', schema: transaction.nullable() };
  /** Defines two methods that differ only in how they name the block. */
  const byNumberAndHash = (names: readonly [string, string], further: readonly MethodParam[], rest: Described) => [
    lookUp(backend, { name: names[0], params: [param('block', blockNumberOrTag), ...further], ...rest }),
    lookUp(backend, { name: names[1], params: [param('blockHash', hash), ...further], ...rest }),
  ];
  return [
    ...byNumberAndHash(['eth_getBlockByNumber', 'eth_getBlockByHash'], [fullTransactions], {
      summary: 'A block; null if there is none.',
      result: foundBlock,
    }),
    lookUp(backend, {
      name: 'eth_getBlockReceipts',
      summary: 'Receipts of all transactions of a block, in order; null if there is no such block.',
      params: [param('block', blockParameter)],
      result: { name: 'receipts', schema: z.array(receipt).nullable() },
    }),
    ...byNumberAndHash(['eth_getBlockTransactionCountByNumber', 'eth_getBlockTransactionCountByHash'], [], {
      summary: 'Number of transactions in a block; null if there is no such block.',
      result: count,
    }),
    ...byNumberAndHash(['eth_getUncleCountByBlockNumber', 'eth_getUncleCountByBlockHash'], [], {
      summary: 'Number of uncles of a block, 0 on a chain without mining; null if there is no such block.',
      result: count,
    }),
    ...byNumberAndHash(['eth_getUncleByBlockNumberAndIndex', 'eth_getUncleByBlockHashAndIndex'], [uncleIndex], {
      summary: 'An uncle of a block; null on a chain without mining.',
      result: foundBlock,
    }),
    ...byNumberAndHash(
      ['eth_getTransactionByBlockNumberAndIndex', 'eth_getTransactionByBlockHashAndIndex'],
      [transactionIndex],
      { summary: 'Transaction by its index in a block; null if there is none.', result: found },
    ),
    lookUp(backend, {
      name: 'eth_getTransactionByHash',
      summary: 'Transaction by hash, mined or pending; null if there is none.',
      params: [param('transactionHash', hash)],
      result: found,
    }),
    lookUp(backend, {
      name: 'eth_getTransactionReceipt',
      summary: 'Receipt of a transaction; null until it is in a block.',
      params: [param('transactionHash', hash)],
      result: { name: 'receipt', schema: receipt.nullable() },
    }),
    forward(backend, {
      name: 'eth_sendRawTransaction',
      summary: 'Submit a signed transaction; returns its hash. Refused transactions get -32003.',
      params: [param('transaction', data, 'The signed transaction, as RLP or in an EIP-2718 envelope.')],
      result: { name: 'transactionHash', schema: hash },
    }),
  ];
}
