import { z } from 'zod';
import { blockNumberOrTag } from './block-number-or-tag.js';
import { hash } from './hash.js';
import { quantity64 } from './quantity-64.js';

const WORDS =
  'must be a block number (0x and hex digits without leading zeros), one of latest, earliest, pending, safe, finalized, a block hash, or an object with blockNumber or blockHash (EIP-1898)';

/**
 * The block whose state is asked for, also by hash: in an object (EIP-1898), or plain as ethers writes it and geth takes it. `{ blockNumber }` is passed on as
 * the plain number, a plain hash as `{ blockHash }`.
 */
export const blockParameter = z
  .union(
    [
      blockNumberOrTag,
      hash.transform((blockHash) => ({ blockHash })),
      z.strictObject({ blockNumber: quantity64 }).transform(({ blockNumber }) => blockNumber),
      z.strictObject({ blockHash: hash, requireCanonical: z.boolean().optional() }),
    ],
    WORDS,
  )
  .meta({
    id: 'BlockParameter',
    title: 'block',
    description:
      'A block number, a tag, a block hash, or an object with blockNumber or with blockHash and, optionally, requireCanonical (EIP-1898).',
  });
