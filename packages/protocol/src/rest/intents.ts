import type { Hex } from 'viem';
import { z } from 'zod';
import {
  IDEMPOTENCY_KEY_LENGTH,
  type BindOriginBody,
  type BindOriginResponse,
  type IntentResponse,
} from '../answers/intents.js';
import { assetInfo } from '../assets.js';
import type { XcnWithdrawIntent } from '../intents.js';
import { address, amountText, decimalText, feeTerms, hash32, status, timestamp } from './fields.js';
import { deliverabilityFields } from './quotes.js';

/** Room for the 1,024 bytes that a release can carry, and for an ERC-6492 wrapper. */
const MAX_WRAPPED_BYTES = 8_192;

/** The year 5138 in seconds, 1973 in milliseconds: a larger value is in milliseconds by mistake. */
const FIRST_MILLISECONDS = 100_000_000_000;

/** Unicode text that PostgreSQL can store: no NUL and no lone surrogates. */
const unicodeText = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be Unicode text without NUL');

/** `POST /bridge/xcn-withdraw-intent` (specification, Withdraw intent). */
export const intentBodySchema = z.strictObject({
  senderAddress: address.describe('The account that signs and pays on the partner chain, an EOA or a smart account.'),
  recipientAddress: address.describe('The receiving account on Ethereum.'),
  amountAtomic: z
    .string('must be a string of digits: the amount in 18-decimal units')
    .regex(/^[1-9]\d{0,77}$/, 'must be a string of digits: the amount in 18-decimal units')
    .transform(BigInt)
    .refine((amount) => amount < 2n ** 256n, 'must be below 2^256')
    .refine(
      (amount) => amount % assetInfo('XCN').granularity === 0n,
      'must be a multiple of 10000000000: XCN has 8 decimals on the partner chain',
    )
    .describe('In 18-decimal units, a multiple of 10000000000, because XCN has 8 decimals on the partner chain.'),
  idempotencyKey: unicodeText
    .refine(
      (key) => Array.from(key).length <= IDEMPOTENCY_KEY_LENGTH,
      `must have at most ${IDEMPOTENCY_KEY_LENGTH} characters`,
    )
    // JSON Schema counts characters, as this does; `max` of zod counts UTF-16 units.
    .meta({
      description: 'Of the client: the same key and body give the same answer.',
      maxLength: IDEMPOTENCY_KEY_LENGTH,
    }),
  deadline: z
    .int('must be a whole number of Unix seconds')
    .min(1, 'must be a whole number of Unix seconds')
    .refine((seconds) => seconds < FIRST_MILLISECONDS, 'must be Unix seconds, not milliseconds')
    .describe('Part of the signed message: Unix seconds until which the intent can be registered.'),
  nonce: unicodeText.describe(
    'Part of the signed message: any Unicode text without NUL, limited by the body size of 65,536 bytes.',
  ),
  signature: z
    .string('must be hex')
    .max(2 + 2 * MAX_WRAPPED_BYTES, `must be at most ${MAX_WRAPPED_BYTES} bytes`)
    .transform((text) => text as Hex)
    .describe(
      'Over the EIP-712 typed data, in hex. Smart accounts: the bytes for ERC-1271, optionally wrapped by ERC-6492.',
    ),
});
/** A validated intent: amount as bigint in 18-decimal units, addresses lower-case, signature still any text. */
export type CheckedIntentBody = z.output<typeof intentBodySchema>;

/** The order that a sender signed, without its signature. */
export function toSignedIntent(body: CheckedIntentBody): XcnWithdrawIntent {
  return {
    sender: body.senderAddress,
    recipient: body.recipientAddress,
    amount: body.amountAtomic,
    deadline: BigInt(body.deadline),
    nonce: body.nonce,
  };
}

/** An accepted intent with its fixed terms. */
export const intentResponseSchema = z.object({
  intentId: hash32.describe('The signed EIP-712 digest.'),
  relayerWalletAddress: address.describe(
    'Send a plain native transfer of `amountAtomic` from senderAddress to this address.',
  ),
  status,
  amountAtomic: amountText,
  amountFormatted: decimalText,
  fee: feeTerms.describe('Fixed for this intent.'),
  outputAmount: amountText.describe('Delivered to the recipient, in atomic units.'),
  outputAmountFormatted: decimalText,
  expiresAt: timestamp.describe('A transfer in a later block does not pay the intent.'),
  ...deliverabilityFields,
}) satisfies z.ZodType<IntentResponse>;

/** `POST /bridge/xcn-withdraw-intent/bind-origin`. */
export const bindOriginBodySchema = z.strictObject({
  intentId: hash32.describe('`intentId` of the response to the intent.'),
  senderAddress: address.describe('Sender of the intent.'),
  originTxHash: hash32.describe('Hash of the transaction or user operation that pays the intent.'),
}) satisfies z.ZodType<BindOriginBody>;

/** The intent, the proposed or bound transaction, and the status. */
export const bindOriginResponseSchema = z
  .object({
    intentId: hash32.describe('The intent.'),
    originTxHash: hash32.describe('The proposed or bound transaction.'),
    status,
  })
  .describe('The intent, the proposed or bound transaction, and the status.') satisfies z.ZodType<BindOriginResponse>;
