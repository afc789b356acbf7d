import { z } from 'zod';
import { address, data, hash, quantity, quantity64 } from './primitives.js';

interface Issue {
  readonly code: string;
  readonly keys?: unknown;
}

/** The problem of a value that must be an object with certain fields. */
const ofFields = {
  error: ({ code, keys }: Issue): string =>
    code === 'unrecognized_keys'
      ? `has the field ${String(keys).split(',')[0]}, which is not supported`
      : 'must be an object',
};

/** The problem of a value that must be an object with certain keys. */
const byKeys = (keys: string) => ({
  error: ({ code }: Issue): string =>
    code === 'invalid_key' ? `the key must be ${keys}` : `must be an object by ${keys}`,
});

/** Converts an empty object to undefined. */
function dropEmpty<Given extends object>(given: Given | null | undefined): Given | undefined {
  return given !== null && given !== undefined && Object.keys(given).length > 0 ? given : undefined;
}

const words = z.record(hash, hash, byKeys('a slot of 32 bytes'));

const accountOverride = z
  .strictObject(
    {
      balance: quantity
        .optional()
        .describe('Wei; a multiple of 10^10 on a chain whose coin has 8 decimals inside the EVM.'),
      nonce: quantity64.optional(),
      code: data.optional().describe('Not for the address of a precompile.'),
      state: words.optional().describe('The whole storage; cannot be combined with stateDiff.'),
      stateDiff: words.optional().describe('Changes only these slots.'),
    },
    ofFields,
  )
  .refine(({ state, stateDiff }) => state === undefined || stateDiff === undefined, 'has both state and stateDiff');

/** Overrides of accounts for a call, in geth's format. */
export const stateOverrides = z
  .record(address, accountOverride, byKeys('an address'))
  .nullish()
  .transform(dropEmpty)
  .meta({
    id: 'StateOverrides',
    title: 'state overrides',
    description: 'By address: the balance, nonce, code and storage that an account has for this call.',
  });

/** Overrides of the block of a call, in geth's format. */
export const blockOverrides = z
  .strictObject(
    {
      number: quantity64.optional(),
      time: quantity64.optional().describe('Seconds since 1970.'),
      gasLimit: quantity64.optional(),
      feeRecipient: address.optional(),
      prevRandao: hash.optional(),
      baseFeePerGas: quantity.optional().describe('Wei.'),
      blobBaseFee: quantity.optional().describe('Has no effect, because there are no blobs.'),
    },
    ofFields,
  )
  .nullish()
  .transform(dropEmpty)
  .meta({
    id: 'BlockOverrides',
    title: 'block overrides',
    description: 'The fields of the block that contracts see in this call.',
  });
