import type { Hex } from 'viem';
import { z } from 'zod';
import type { TransactionsResponse } from '../answers/transactions.js';
import { address, amountText, asset, chainId, direction, typedDataDomain, typedDataFields } from './fields.js';
import { feeQuoteResponseSchema } from './quotes.js';
import { warningsSchema } from './warnings.js';

/**
 * `POST /bridge/transactions`: the transfer that a wallet is about to begin. `byIntent`: native XCN by a signed intent
 * instead of a call of BridgeMint.
 */
export const transactionsBodySchema = z.strictObject({
  token: asset,
  amount: z.string('must be a plain decimal such as 12.5').describe('A plain decimal, in whole coins.'),
  direction,
  senderAddress: address.describe('Who pays, on the origin chain.'),
  recipientAddress: address.describe('Who is paid, on the destination chain.'),
  byIntent: z
    .boolean('must be true or false')
    .default(false)
    .describe('XCN from the partner chain by a signed intent instead of a call of BridgeMint.'),
});
/** A checked request; its amount is still text. */
export type CheckedTransactionsBody = z.output<typeof transactionsBodySchema>;

/** A transaction to be signed and sent by the sender. `value` in wei of the chain's JSON-RPC. */
const unsignedCall = z.object({
  description: z.string().describe('One sentence for the user.'),
  chainId,
  from: address.describe('The sender.'),
  to: address.describe('The contract.'),
  data: z
    .string()
    .regex(/^0x([0-9a-f]{2})*$/)
    .transform((text) => text as Hex)
    .describe('The call, in hex.'),
  value: amountText.describe("In wei of the chain's JSON-RPC."),
  gas: amountText.describe('A gas limit that always suffices; the rest is not charged.'),
});

/** An intent as `eth_signTypedData_v4` takes it. */
const intentTypedData = z.object({
  domain: typedDataDomain,
  primaryType: z.literal('XcnWithdrawIntent').describe('The type that is signed.'),
  types: z
    .object({ EIP712Domain: typedDataFields, XcnWithdrawIntent: typedDataFields })
    .describe('The types of EIP-712.'),
  message: z
    .object({
      sender: address.describe('Who signs and pays.'),
      recipient: address.describe('Who is paid.'),
      amount: amountText,
      deadline: amountText.describe('Unix seconds.'),
      nonce: z.string().describe('Makes the intent another one than every other.'),
    })
    .describe('The intent.'),
});

/** A deposit of a token by a signature instead of an approval. */
const signedDeposit = z.object({
  standard: z
    .enum(['ERC-2612', 'ERC-3009'])
    .describe('ERC-2612: a permit, sent by the sender. ERC-3009: an authorization, which any account may send.'),
  typedData: z
    .object({
      domain: typedDataDomain,
      primaryType: z.string().describe('The type that is signed.'),
      types: z.record(z.string(), typedDataFields).describe('The types of EIP-712.'),
      message: z.record(z.string(), z.string()).describe('The values to be signed.'),
    })
    .describe('As `eth_signTypedData_v4` takes it.'),
  call: unsignedCall.describe('Append v (as 32 bytes), r and s of the signature to `data`.'),
});

/** Unsigned: nothing is stored, and nothing is reserved. */
export const transactionsResponseSchema = z.object({
  quote: feeQuoteResponseSchema,
  warnings: warningsSchema,
  calls: z
    .array(unsignedCall)
    .describe('In the order in which they are sent, each after the one before was mined. Empty for an intent.'),
  bySignature: z
    .array(signedDeposit)
    .describe(
      'Other ways for the same deposit, each instead of all `calls`: where the token takes signatures of the sender. ' +
        'They hold for 30 minutes.',
    ),
  typedData: intentTypedData.nullable().describe('The intent to sign; null for other transfers.'),
  intentBody: z
    .object({
      senderAddress: address,
      recipientAddress: address,
      amountAtomic: amountText,
      idempotencyKey: z.string().describe('A new one.'),
      deadline: z.int().describe('Unix seconds.'),
      nonce: z.string().describe('A new one.'),
    })
    .nullable()
    .describe(
      'The body of `POST /bridge/xcn-withdraw-intent` but for the `signature` of `typedData`; null without one.',
    ),
}) satisfies z.ZodType<TransactionsResponse>;
