import { isAddress, type Address, type Hex } from 'viem';
import { z } from 'zod';
import { DIRECTIONS, listAssets } from '../assets.js';
import { OPERATION_STATUSES } from '../operations.js';

// The building blocks of the REST schemas. A message completes the sentence that begins with the field's name.

/** 32 bytes of hex in any case, made lower-case: a transaction hash or an id. */
export const hash32 = z
  .string('must be 0x and 64 hex digits')
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits')
  .transform((text) => text.toLowerCase() as Hex)
  .describe('A hash or an id: 0x and 64 hex digits.');

/** An address: all in one case, or with a correct EIP-55 checksum (a wrong one is a typing error). Made lower-case. */
export const address = z
  .string('must be an address: 0x and 40 hex digits')
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hex digits')
  .refine((text) => {
    const digits = text.slice(2);
    const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
    // isAddress instead of getAddress: this also runs on malformed text, and must not throw.
    return oneCase || isAddress(text);
  }, 'is in mixed case with a wrong EIP-55 checksum: check it for a typing error')
  .transform((text) => text.toLowerCase() as Address)
  .describe('An address: all in one case, or with a correct EIP-55 checksum. Answers are lower-case.');

const mustBeAsset = () => `must be one of ${listAssets().join(', ')}`;

/** A symbol of the table of assets. The table is read at each use, since the address book completes it. */
export const asset = z
  .string({ error: mustBeAsset })
  .refine((symbol) => listAssets().includes(symbol), { error: mustBeAsset })
  .meta({
    get enum() {
      return listAssets();
    },
    description: 'The asset.',
  });

/** ETHEREUM_TO_PARTNER or PARTNER_TO_ETHEREUM. */
export const direction = z
  .enum(DIRECTIONS, `must be one of ${DIRECTIONS.join(', ')}`)
  .describe('From which chain to which.');

/** A status of an operation. */
export const status = z
  .enum(OPERATION_STATUSES, `must be one of ${OPERATION_STATUSES.join(', ')}`)
  .describe('How far an operation is.');

/** A whole number in a query string, without sign, point or leading zeros, within a range. */
export function wholeNumber(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z
    .string(message)
    .regex(/^(0|[1-9]\d{0,15})$/, message)
    .transform(BigInt)
    .refine((value) => value >= BigInt(least) && value <= BigInt(most), message)
    .transform((value) => globalThis.Number(value))
    .meta({ type: 'integer', minimum: least, maximum: most });
}

/** Atomic units in a response. */
export const amountText = z.string().regex(/^\d+$/).describe('An amount in atomic units: a whole number.');
/** A plain decimal in a response. */
export const decimalText = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .describe('The same amount as a plain decimal.');
/** ISO 8601 in UTC. */
export const timestamp = z.iso.datetime().describe('ISO 8601 in UTC.');

/** The id of a chain in the answers. */
export const chainId = z.int().describe('The EIP-155 id of the chain.');
/** A rate of a fee. */
export const feeBps = z.int().describe('The rate of the fee in hundredths of a percent.');
/** The terms of a fee: `bps` is the rate, also where the minimum fee applies. */
export const feeTerms = z.object({ amount: amountText, formatted: decimalText, bps: feeBps });
/** The EIP-712 domain of a signature: that of withdraw intents, or of a token. */
export const typedDataDomain = z
  .object({
    name: z.string().describe('Of the contract.'),
    version: z.string().describe('The version of the typed data.'),
    chainId,
    verifyingContract: address.describe('The contract that the signature is for.'),
  })
  .describe('The EIP-712 domain.');
/** The fields of one type of EIP-712, in their order. */
export const typedDataFields = z
  .array(
    z.object({ name: z.string().describe('Of the field.'), type: z.string().describe('Of the field, in Solidity.') }),
  )
  .describe('The fields of this type in their order.');
