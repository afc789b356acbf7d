import { isAddress, type Address, type Hex } from 'viem';
import { z } from 'zod';
import { DIRECTIONS, listAssets } from '../assets.js';
import { OPERATION_STATUSES } from '../operations.js';

// Building blocks of the REST schemas. Each message completes a sentence that begins with the field's name.

/** A transaction hash or an id: 32 bytes of hex, normalized to lower case. */
export const hash32 = z
  .string('must be 0x and 64 hex digits')
  .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits')
  .transform((text) => text.toLowerCase() as Hex)
  .describe('A hash or an id: 0x and 64 hex digits.');

/** An address, all in one case or with a correct EIP-55 checksum. Normalized to lower case. */
export const address = z
  .string('must be an address: 0x and 40 hex digits')
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hex digits')
  .refine((text) => {
    const digits = text.slice(2);
    const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
    // isAddress instead of getAddress: this also runs on malformed text and must not throw.
    return oneCase || isAddress(text);
  }, 'is in mixed case with a wrong EIP-55 checksum: check it for a typing error')
  .transform((text) => text.toLowerCase() as Address)
  .describe('An address: all in one case, or with a correct EIP-55 checksum. Answers are lower-case.');

const mustBeAsset = () => `must be one of ${listAssets().join(', ')}`;

/** A symbol of the asset table, which is read at each use because the address book extends it. */
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
  .describe('Direction of the operation.');

/** A status of an operation. */
export const status = z
  .enum(OPERATION_STATUSES, `must be one of ${OPERATION_STATUSES.join(', ')}`)
  .describe('Status of an operation.');

/** An integer of a query string within a range, without sign, decimal point or leading zeros. */
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

/** A uint256 as decimal text, in messages between services. */
export const uint256 = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, 'must be a whole number in decimal')
  .transform(BigInt)
  .refine((value) => value < 2n ** 256n, 'must be below 2^256');

/** Atomic units in a response. */
export const amountText = z.string().regex(/^\d+$/).describe('An amount in atomic units: a whole number.');
/** A plain decimal in a response. */
export const decimalText = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .describe('The same amount as a plain decimal.');
/** ISO 8601 in UTC. */
export const timestamp = z.iso.datetime().describe('ISO 8601 in UTC.');

/** A chain id of a response. */
export const chainId = z.int().describe('The EIP-155 id of the chain.');
export const feeBps = z.int().describe('Fee rate in hundredths of a percent.');
/** The terms of a fee. `bps` is the rate of the policy, even where the minimum fee applies. */
export const feeTerms = z.object({ amount: amountText, formatted: decimalText, bps: feeBps });
/** The EIP-712 domain of a withdraw intent or of a token. */
export const typedDataDomain = z
  .object({
    name: z.string().describe('Name of the contract.'),
    version: z.string().describe('Version of the typed data.'),
    chainId,
    verifyingContract: address.describe('The contract that the signature is for.'),
  })
  .describe('The EIP-712 domain.');
/** The fields of one EIP-712 type, in order. */
export const typedDataFields = z
  .array(z.object({ name: z.string().describe('Name.'), type: z.string().describe('Solidity type.') }))
  .describe('Fields of the type, in order.');
