import { z } from 'zod';
import type { Backend } from '../../backends/backend.js';
import type { Method } from '../../jsonrpc/types.js';
import { blockNumberOrTag, blockParameter } from '../../schemas/block-params.js';
import { hash, quantity64 } from '../../schemas/primitives.js';
import { block, receipt } from '../../schemas/results.js';
import { lookUp, param } from '../forward.js';

/** Blocks and their content (spec "Standard methods"; EIP-1474). A block that does not exist is a null result. */
export function blockMethods(backend: Backend): readonly Method[] {
  const byNumber = param('block', blockNumberOrTag);
  const byHash = param('blockHash', hash);
  const index = param('uncleIndex', quantity64, 'Position in the list of uncles.');
  const fullTransactions = param(
    'fullTransactions',
    z.boolean('must be a boolean').default(false),
    'True for transaction objects, false for their hashes.',
  );
  const foundBlock = { name: 'block', schema: block.nullable() };
  const count = { name: 'count', schema: quantity64.nullable() };
  return [
    lookUp(backend, {
      name: 'eth_getBlockByNumber',
      summary: 'Block by number; null if there is none.',
      params: [byNumber, fullTransactions],
      result: foundBlock,
    }),
    lookUp(backend, {
      name: 'eth_getBlockByHash',
      summary: 'Block by hash; null if there is none.',
      params: [byHash, fullTransactions],
      result: foundBlock,
    }),
    lookUp(backend, {
      name: 'eth_getBlockReceipts',
      summary: 'Receipts of all transactions of a block, in order; null if there is no such block.',
      params: [param('block', blockParameter)],
      result: { name: 'receipts', schema: z.array(receipt).nullable() },
    }),
    lookUp(backend, {
      name: 'eth_getBlockTransactionCountByNumber',
      summary: 'How many transactions a block has; null if there is no such block.',
      params: [byNumber],
      result: count,
    }),
    lookUp(backend, {
      name: 'eth_getBlockTransactionCountByHash',
      summary: 'How many transactions a block has; null if there is no such block.',
      params: [byHash],
      result: count,
    }),
    lookUp(backend, {
      name: 'eth_getUncleCountByBlockNumber',
      summary: 'How many uncles a block has, none on a chain without mining; null if there is no such block.',
      params: [byNumber],
      result: count,
    }),
    lookUp(backend, {
      name: 'eth_getUncleCountByBlockHash',
      summary: 'How many uncles a block has, none on a chain without mining; null if there is no such block.',
      params: [byHash],
      result: count,
    }),
    lookUp(backend, {
      name: 'eth_getUncleByBlockNumberAndIndex',
      summary: 'An uncle of a block; null on a chain without mining.',
      params: [byNumber, index],
      result: foundBlock,
    }),
    lookUp(backend, {
      name: 'eth_getUncleByBlockHashAndIndex',
      summary: 'An uncle of a block; null on a chain without mining.',
      params: [byHash, index],
      result: foundBlock,
    }),
  ];
}
