import { z } from 'zod';

/** Hex text, converted to lower case. @param form pattern source for the whole text. */
export function hexText(form: string, problem: string) {
  const pattern = new RegExp(`^${form}$`);
  return z.string(problem).regex(pattern, problem).toLowerCase();
}

/** Pattern source of a number up to 2^64 - 1. */
const QUANTITY_64_PATTERN = '0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,15})';

/** An address. Nodes do not check the case (EIP-55 is for people), so neither does this schema. */
export const address = hexText('0x[0-9a-fA-F]{40}', 'must be an address: 0x and 40 hex digits').meta({
  id: 'Address',
  title: 'address',
  description: 'An address: 0x and 40 hex digits, in any case.',
});

export const hash = hexText('0x[0-9a-fA-F]{64}', 'must be 32 bytes: 0x and 64 hex digits').meta({
  id: 'Hash',
  title: 'hash',
  description: '32 bytes: 0x and 64 hex digits.',
});

export const data = hexText('0x(?:[0-9a-fA-F]{2})*', 'must be data: 0x and an even number of hex digits').meta({
  id: 'Data',
  title: 'data',
  description: 'Bytes: 0x and two hex digits per byte; 0x for no bytes.',
});

export const quantity = hexText(
  '0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})',
  'must be a quantity: 0x and hex digits without leading zeros, 0x0 for zero',
).meta({
  id: 'Quantity',
  title: 'quantity',
  description: 'A number up to 2^256 - 1: 0x and hex digits without leading zeros, 0x0 for zero.',
});

export const quantity64 = hexText(
  QUANTITY_64_PATTERN,
  'must be a quantity: 0x and up to 16 hex digits without leading zeros, 0x0 for zero',
).meta({
  id: 'Quantity64',
  title: 'quantity of 64 bits',
  description: 'A number up to 2^64 - 1: 0x and hex digits without leading zeros, 0x0 for zero.',
});

/** A storage slot, with or without leading zeros; converted to 32 bytes. */
export const storageSlot = hexText('0x[0-9a-fA-F]{1,64}', 'must be a storage slot: 0x and 1 to 64 hex digits')
  .overwrite((slot) => `0x${slot.slice(2).padStart(64, '0')}`)
  .meta({ id: 'StorageSlot', title: 'storage slot', description: 'A storage slot: 0x and 1 to 64 hex digits.' });

export const filterId = quantity.describe('The id of a filter, known to this gateway process only.');

export const subscriptionId = quantity.describe('The id of a subscription, valid on its own connection only.');

/** A list whose check stops at the first invalid element, because a megabyte of problem descriptions takes a second. */
export function limitedList<Item extends z.ZodType>(item: Item, maxLength: number, problem: string) {
  return z.preprocess(
    (value: unknown) => {
      if (!Array.isArray(value) || value.length > maxLength) return value;
      const wrong = value.findIndex((each) => !item.safeParse(each).success);
      return wrong === -1 ? value : value.slice(0, wrong + 1);
    },
    z.array(item, problem).max(maxLength, problem),
  );
}

/** Maximum blocks in a response of eth_feeHistory. Like geth, the gateway reduces a larger count to this. */
const MAX_FEE_HISTORY_BLOCKS = 1_024;
const MAX_PERCENTILES = 100;

const TAGS = ['latest', 'earliest', 'pending', 'safe', 'finalized'] as const;
const NUMBER_OR_TAG = `must be a block number (0x and hex digits without leading zeros) or one of ${TAGS.join(', ')}`;
const PARAMETER = [
  `must be a block number (0x and hex digits without leading zeros), one of ${TAGS.join(', ')}`,
  'a block hash',
  'or an object with blockNumber or blockHash (EIP-1898)',
].join(', ');

/** A block by number or tag (spec "Standard methods"; `safe` and `finalized` as in Ethereum). */
export const blockNumberOrTag = z
  // Tags first: a failed option of a union is expensive, and most callers send `latest`.
  .union([z.enum(TAGS), hexText(QUANTITY_64_PATTERN, NUMBER_OR_TAG)], NUMBER_OR_TAG)
  .meta({
    id: 'BlockNumberOrTag',
    title: 'block number or tag',
    description: 'A block number, or latest, earliest, pending, safe or finalized.',
  });

/** The block whose state a call reads, by number, tag or hash (EIP-1898). A plain hash becomes `{ blockHash }`. */
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

/** The block count of eth_feeHistory: a quantity, or a plain number from older clients. */
export const blockCount = z
  .union([quantity64, z.int().nonnegative()], 'must be a number of blocks: a quantity, or an integer')
  .transform((given) => {
    const count = BigInt(given);
    return `0x${(count > MAX_FEE_HISTORY_BLOCKS ? MAX_FEE_HISTORY_BLOCKS : count).toString(16)}`;
  })
  .refine((count) => count !== '0x0', 'must be at least 1 block')
  .describe('Number of blocks, including the newest; at most 1,024 are returned.');

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
