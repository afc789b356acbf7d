import { z } from 'zod';
import { quantity64 } from '../quantity-64.js';

/** `false`, or how far a node that is still catching up has come. */
export const syncStatus = z
  .union([
    z.literal(false),
    z.looseObject({ startingBlock: quantity64, currentBlock: quantity64, highestBlock: quantity64 }),
  ])
  .meta({
    id: 'SyncStatus',
    title: 'sync status',
    description: 'False, or the blocks between which a node is catching up.',
  });
