import { z } from 'zod';
import type { ReservesResponse } from '../answers/reserves.js';
import { address, amountText, asset, hash32, wholeNumber } from './fields.js';

/** `GET /bridge/reserves`: statements before a day. */
export const reservesQuerySchema = z.strictObject({
  limit: wholeNumber(1, 100).optional().describe('Statements of a page. Default: 20.'),
  before: wholeNumber(0, 1_000_000).optional().describe('`nextBefore` of the page before: only earlier days.'),
});

const block = z.object({ number: z.int().describe('Its number.'), hash: hash32.describe('Its hash.') });
const unit = (words: string) => amountText.describe(`${words}, in atomic units.`);

const statement = z.object({
  day: z.int().describe('Days since 1970, of the partner block.'),
  digest: hash32.describe('EIP-712 digest that is signed.'),
  previous: hash32.describe('Digest of the statement before; zeros in the first one.'),
  ethereum: block.describe('Final block on Ethereum.'),
  partner: block.describe('Final block on the partner chain.'),
  assets: z
    .array(
      z.object({
        asset,
        locked: unit('Held by BridgeLock for users'),
        supply: unit('Supply on the partner chain'),
        held: unit('Part of the supply that relayer wallets hold'),
        inFlight: unit('Begun and not delivered, in both directions'),
        fees: unit('Fees that the treasury can collect'),
      }),
    )
    .describe('One entry per asset; `locked` is at least `supply - held + inFlight`.'),
  attesterSet: z.int().describe("Number of BridgeLock's attester set."),
  signatures: z
    .array(
      z.object({
        attester: address,
        signature: z
          .string()
          .regex(/^0x[0-9a-f]{130}$/)
          .transform((text) => text as `0x${string}`)
          .describe('65 bytes.'),
      }),
    )
    .describe('Signatures over `digest`.'),
});

/** `GET /bridge/reserves`: the statements of the attesters. */
export const reservesResponseSchema = z.object({
  needed: z
    .int()
    .nullable()
    .describe('Signatures that a statement needs; 0 without attesters, who then state nothing; null if unknown.'),
  statements: z.array(statement).describe('Newest first.'),
  nextBefore: z.int().nullable().describe('`before` of the next page; null on the last page.'),
}) satisfies z.ZodType<ReservesResponse>;
/** A validated query of `GET /bridge/reserves`. */
export type ReservesQuery = z.output<typeof reservesQuerySchema>;
