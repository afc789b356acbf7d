import { z } from 'zod';
import { address } from '../address.js';
import { hash } from '../hash.js';
import { quantity64 } from '../quantity-64.js';
import { quantity } from '../quantity.js';
import { headerFields } from './header-fields.js';
import { transaction } from './transaction.js';
import { unknownWhilePending } from './unknown-while-pending.js';

/** A block, with its transactions or their hashes. */
export const block = z
  .looseObject({
    ...headerFields,
    ...unknownWhilePending,
    size: quantity64.describe('Bytes.'),
    uncles: z.array(hash),
    transactions: z
      .union([z.array(hash), z.array(transaction)])
      .describe('Hashes, or transactions if those were asked for.'),
    withdrawals: z
      .array(z.looseObject({ index: quantity64, validatorIndex: quantity64, address, amount: quantity }))
      .optional(),
  })
  .meta({ id: 'Block', title: 'block', description: 'A block and its transactions.' });
