import { z } from 'zod';

/** Percentiles of one question. */
const MOST = 100;

/** Rising percentiles, 0 to 100 (eth_feeHistory). */
export const percentiles = z
  .array(
    z.number('must be a number').min(0, 'must be from 0 to 100').max(100, 'must be from 0 to 100'),
    'must be an array',
  )
  .max(MOST, 'must have at most 100 percentiles')
  .refine(
    (values) => values.every((value, index) => index === 0 || value >= (values[index - 1] ?? 0)),
    'must be rising',
  )
  .describe('Rising percentiles, 0 to 100, of the priority fees paid in each block.');
