import { z } from 'zod';

/**
 * Hex text in either case, converted to lower case.
 *
 * @param form source of the pattern of the whole text.
 * @param problem the error for anything else; it follows "params[0] (address):".
 */
export function hexText(form: string, problem: string) {
  const pattern = new RegExp(`^${form}$`);
  return z.string(problem).regex(pattern, problem).toLowerCase();
}

/** Pattern source of a number up to 2^64 - 1. */
export const QUANTITY_64_PATTERN = '0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,15})';

/** An address. Nodes do not check the case (EIP-55 is for people), so neither does this schema. */
export const address = hexText('0x[0-9a-fA-F]{40}', 'must be an address: 0x and 40 hex digits').meta({
  id: 'Address',
  title: 'address',
  description: 'An address: 0x and 40 hex digits, in any case.',
});

/** A hash, a topic, or any other word of 32 bytes. */
export const hash = hexText('0x[0-9a-fA-F]{64}', 'must be 32 bytes: 0x and 64 hex digits').meta({
  id: 'Hash',
  title: 'hash',
  description: '32 bytes: 0x and 64 hex digits.',
});

/** Bytes of any length. */
export const data = hexText('0x(?:[0-9a-fA-F]{2})*', 'must be data: 0x and an even number of hex digits').meta({
  id: 'Data',
  title: 'data',
  description: 'Bytes: 0x and two hex digits for each; 0x for none.',
});

/** A number up to 2^256 - 1. */
export const quantity = hexText(
  '0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})',
  'must be a quantity: 0x and hex digits without leading zeros, 0x0 for zero',
).meta({
  id: 'Quantity',
  title: 'quantity',
  description: 'A number up to 2^256 - 1: 0x and hex digits without leading zeros, 0x0 for zero.',
});

/** A number up to 2^64 - 1: block numbers, gas, nonces, indexes. */
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

/** The result of eth_newFilter and the other methods that create filters. */
export const filterId = quantity.describe('The id of a filter, known to this gateway process only.');

/** The result of eth_subscribe. */
export const subscriptionId = quantity.describe('The id of a subscription, valid on its own connection only.');

/**
 * A list whose check ends with the first wrong element. Zod alone would describe every wrong element, which takes a
 * second for a message of a megabyte.
 *
 * @param problem the error for a value that is not a list, and for a list that is too long.
 */
export function listOf<Item extends z.ZodType>(item: Item, maxLength: number, problem: string) {
  return z.preprocess(
    (value: unknown) => {
      if (!Array.isArray(value) || value.length > maxLength) return value;
      const wrong = value.findIndex((each) => !item.safeParse(each).success);
      return wrong === -1 ? value : value.slice(0, wrong + 1);
    },
    z.array(item, problem).max(maxLength, problem),
  );
}
