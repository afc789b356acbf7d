import { z } from 'zod';
import { hash, hexText, quantity64, QUANTITY_64_PATTERN } from './primitives.js';

/** Blocks in one answer of eth_feeHistory. Like geth, the gateway reduces a larger count to this one. */
const MAX_FEE_HISTORY_BLOCKS = 1_024;
const MAX_PERCENTILES = 100;

const TAGS = ['latest', 'earliest', 'pending', 'safe', 'finalized'] as const;
const NUMBER_OR_TAG = `must be a block number (0x and hex digits without leading zeros) or one of ${TAGS.join(', ')}`;
const PARAMETER = [
  `must be a block number (0x and hex digits without leading zeros), one of ${TAGS.join(', ')}`,
  'a block hash',
  'or an object with blockNumber or blockHash (EIP-1898)',
].join(', ');

/** A block by its number or by a tag (spec "Standard methods"; `safe` and `finalized` as in Ethereum). */
export const blockNumberOrTag = z
  // Tags first: a failed option of a union is expensive, and most callers send `latest`.
  .union([z.enum(TAGS), hexText(QUANTITY_64_PATTERN, NUMBER_OR_TAG)], NUMBER_OR_TAG)
  .meta({
    id: 'BlockNumberOrTag',
    title: 'block number or tag',
    description: 'A block number, or latest, earliest, pending, safe or finalized.',
  });

/**
 * The block whose state a call reads. It may be named by hash: in an object (EIP-1898), or as plain text like ethers
 * writes it. `{ blockNumber }` becomes the plain number, a plain hash becomes `{ blockHash }`.
 */
export const blockParameter = z
  .union(
    [
      blockNumberOrTag,
      hash.transform((blockHash) => ({ blockHash })),
      z.strictObject({ blockNumber: quantity64 }).transform(({ blockNumber }) => blockNumber),
      z.strictObject({ blockHash: hash, requireCanonical: z.boolean().optional() }),
    ],
    PARAMETER,
  )
  .meta({
    id: 'BlockParameter',
    title: 'block',
    description:
      'A block number, a tag, a block hash, or an object with blockNumber or with blockHash and, optionally, requireCanonical (EIP-1898).',
  });

/** The number of blocks of eth_feeHistory: a quantity, or a plain number as older clients send it. */
export const blockCount = z
  .union([quantity64, z.int().nonnegative()], 'must be a number of blocks: a quantity, or an integer')
  .transform((given) => {
    const count = BigInt(given);
    return `0x${(count > MAX_FEE_HISTORY_BLOCKS ? MAX_FEE_HISTORY_BLOCKS : count).toString(16)}`;
  })
  .refine((count) => count !== '0x0', 'must be at least 1 block')
  .describe('How many blocks, the newest included; at most 1,024 are answered.');

/** Rising percentiles, 0 to 100 (eth_feeHistory). */
export const percentiles = z
  .array(
    z.number('must be a number').min(0, 'must be from 0 to 100').max(100, 'must be from 0 to 100'),
    'must be an array',
  )
  .max(MAX_PERCENTILES, 'must have at most 100 percentiles')
  .refine(
    (values) => values.every((value, index) => index === 0 || value >= (values[index - 1] ?? 0)),
    'must be rising',
  )
  .describe('Rising percentiles, 0 to 100, of the priority fees paid in each block.');
