import { z } from 'zod';
import { address } from '../address.js';
import { data } from '../data.js';
import { hash } from '../hash.js';
import { quantity64 } from '../quantity-64.js';

/** A log in a block. */
export const log = z
  .looseObject({
    address,
    topics: z.array(hash).max(4),
    data,
    blockNumber: quantity64,
    blockHash: hash,
    transactionHash: hash,
    transactionIndex: quantity64,
    logIndex: quantity64.describe('Index in the block.'),
    removed: z.boolean().describe('True when a reorganisation took the log out of the chain.'),
  })
  .meta({ id: 'Log', title: 'log', description: 'What a contract emitted, and where it stands in the chain.' });
