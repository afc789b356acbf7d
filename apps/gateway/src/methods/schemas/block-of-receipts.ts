import { z } from 'zod';
import { blockParameter } from './block-parameter.js';
import { hash } from './hash.js';

/** A block parameter that may also be a plain hash, as with geth; passed on as `{ blockHash }`. */
export const blockOfReceipts = z
  .union([hash.transform((blockHash) => ({ blockHash })), blockParameter], 'must be a block: its number, hash or a tag')
  .describe('A block number, a tag, a hash, or an object of EIP-1898.');
