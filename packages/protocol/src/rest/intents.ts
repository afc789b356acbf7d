import type { Hex } from 'viem';
import { z } from 'zod';
import {
  IDEMPOTENCY_KEY_LENGTH,
  type BindOriginBody,
  type BindOriginResponse,
  type IntentResponse,
} from '../answers/intents.js';
import { assetInfo } from '../assets.js';
import { address, amountText, decimalText, feeTerms, hash32, status, timestamp } from './fields.js';
import { deliverabilityFields } from './quotes.js';

/** Room for a signature of 1,024 bytes, the longest that a release can carry, and for its ERC-6492 wrapper. */
const MAX_WRAPPED_BYTES = 8_192;

/** Seconds of the year 5138, and milliseconds of 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;

/** Unicode text that PostgreSQL can store: it has no NUL, and UTF-8 no halves of a surrogate pair. */
const unicodeText = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be Unicode text without NUL');

/** `POST /bridge/xcn-withdraw-intent` (specification, Withdraw intent). */
export const intentBodySchema = z.strictObject({
  senderAddress: address.describe('Who signs and pays, on the partner chain. A smart account may.'),
  recipientAddress: address.describe('Who is paid, on Ethereum.'),
  amountAtomic: z
    .string('must be a string of digits: the amount in 18-decimal units')
    .regex(/^[1-9]\d{0,77}$/, 'must be a string of digits: the amount in 18-decimal units')
    .transform(BigInt)
    .refine((amount) => amount < 2n ** 256n, 'must be below 2^256')
    .refine(
      (amount) => amount % assetInfo('XCN').granularity === 0n,
      'must be a multiple of 10000000000: XCN has 8 decimals on the partner chain',
    )
    .describe('In units of 18 decimals. A multiple of 10000000000, since XCN has 8 decimals on the partner chain.'),
  idempotencyKey: unicodeText
    .refine(
      (key) => Array.from(key).length <= IDEMPOTENCY_KEY_LENGTH,
      `must have at most ${IDEMPOTENCY_KEY_LENGTH} characters`,
    )
    // JSON Schema counts characters too, other than `max` of zod.
    .meta({
      description: 'Of the client: the same key and body give the same answer.',
      maxLength: IDEMPOTENCY_KEY_LENGTH,
    }),
  deadline: z
    .int('must be a whole number of Unix seconds')
    .min(1, 'must be a whole number of Unix seconds')
    .refine((seconds) => seconds < FIRST_MILLISECONDS, 'must be Unix seconds, not milliseconds')
    .describe('As signed: Unix seconds until which the intent may be registered.'),
  nonce: unicodeText.describe(
    'As signed: any Unicode text without NUL. Only the bound of a body, 65,536 bytes, bounds it.',
  ),
  signature: z
    .string('must be hex')
    .max(2 + 2 * MAX_WRAPPED_BYTES, `must be at most ${MAX_WRAPPED_BYTES} bytes`)
    .transform((text) => text as Hex)
    .describe('Of the EIP-712 typed data, in hex. Of a smart account: its bytes for ERC-1271, also in ERC-6492.'),
});
/** A checked intent: the amount a bigint in 18-decimal units, addresses lower-case, the signature any text. */
export type CheckedIntentBody = z.output<typeof intentBodySchema>;

/** The accepted intent with the terms fixed for it. */
export const intentResponseSchema = z.object({
  intentId: hash32.describe('The EIP-712 digest that was signed.'),
  relayerWalletAddress: address.describe(
    'The receiver of a plain native transfer of `amountAtomic` from senderAddress.',
  ),
  status,
  amountAtomic: amountText,
  amountFormatted: decimalText,
  fee: feeTerms.describe('Fixed for this intent.'),
  outputAmount: amountText.describe('Delivered to the recipient, in atomic units.'),
  outputAmountFormatted: decimalText,
  expiresAt: timestamp.describe('A transfer in a later block pays nothing.'),
  ...deliverabilityFields,
}) satisfies z.ZodType<IntentResponse>;

/** `POST /bridge/xcn-withdraw-intent/bind-origin`. */
export const bindOriginBodySchema = z.strictObject({
  intentId: hash32.describe('From the answer to the intent.'),
  senderAddress: address.describe('Of the intent.'),
  originTxHash: hash32.describe('The transaction that pays it, or the hash of the user operation that does.'),
}) satisfies z.ZodType<BindOriginBody>;

/** The intent, the proposed or bound transaction, and the status. */
export const bindOriginResponseSchema = z
  .object({
    intentId: hash32.describe('The intent.'),
    originTxHash: hash32.describe('The proposed or bound transaction.'),
    status,
  })
  .describe('The intent, the proposed or bound transaction, and the status.') satisfies z.ZodType<BindOriginResponse>;
