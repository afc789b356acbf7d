import { z } from 'zod';
import { quantity64 } from '../quantity-64.js';
import { quantity } from '../quantity.js';

/** Fees of a range of blocks, oldest first (EIP-1559). */
export const feeHistory = z
  .looseObject({
    oldestBlock: quantity64,
    baseFeePerGas: z.array(quantity).describe('Wei, one for each block and one for the block after them.'),
    gasUsedRatio: z.array(z.number()).describe('0 to 1 for each block.'),
    reward: z
      .array(z.array(quantity))
      .nullish()
      .describe('For each block the priority fees, in wei, at the percentiles that were asked for.'),
  })
  .meta({ id: 'FeeHistory', title: 'fee history', description: 'Fees of a range of blocks, oldest first.' });
