import { z } from 'zod';
import { quantity64 } from './quantity-64.js';

/** Blocks of one answer. As with geth, who asks for more gets so many. */
const MOST_BLOCKS = 1_024;

/** How many blocks of fees are wanted: a quantity, or a plain number as older clients send it; passed on as a quantity of 1,024 at most. */
export const blockCount = z
  .union([quantity64, z.int().nonnegative()], 'must be a number of blocks: a quantity, or an integer')
  .transform((count) =>
    BigInt(count) > MOST_BLOCKS ? `0x${MOST_BLOCKS.toString(16)}` : `0x${BigInt(count).toString(16)}`,
  )
  .refine((count) => count !== '0x0', 'must be at least 1 block')
  .describe('How many blocks, the newest included; at most 1,024 are answered.');
