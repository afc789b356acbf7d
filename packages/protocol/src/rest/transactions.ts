import type { Hex } from 'viem';
import { z } from 'zod';
import type { TransactionsResponse } from '../answers/transactions.js';
import { address, amountText, asset, chainId, direction, typedDataDomain, typedDataFields } from './fields.js';
import { feeQuoteResponseSchema } from './quotes.js';
import { warningsSchema } from './warnings.js';

/**
 * `POST /bridge/transactions`: the transfer that a wallet is about to begin. `byIntent` withdraws native XCN by a
 * signed intent instead of a call to BridgeMint.
 */
export const transactionsBodySchema = z.strictObject({
  token: asset,
  amount: z.string('must be a plain decimal such as 12.5').describe('A plain decimal, in whole coins.'),
  direction,
  senderAddress: address.describe('The paying account on the origin chain.'),
  recipientAddress: address.describe('The receiving account on the destination chain.'),
  byIntent: z
    .boolean('must be true or false')
    .default(false)
    .describe('Withdraws XCN by a signed intent instead of a call to BridgeMint.'),
});
/** A validated request; its amount is still text. */
export type CheckedTransactionsBody = z.output<typeof transactionsBodySchema>;

/** An unsigned transaction that the sender signs and sends. */
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
  value: amountText.describe('In wei, as JSON-RPC of the chain counts (18 decimals).'),
  gas: amountText.describe('A sufficient gas limit; unused gas is not charged.'),
});

/** An intent in the form that `eth_signTypedData_v4` accepts. */
const intentTypedData = z.object({
  domain: typedDataDomain,
  primaryType: z.literal('XcnWithdrawIntent').describe('The signed type.'),
  types: z.object({ EIP712Domain: typedDataFields, XcnWithdrawIntent: typedDataFields }).describe('EIP-712 types.'),
  message: z
    .object({
      sender: address.describe('The account that signs and pays.'),
      recipient: address.describe('The receiving account.'),
      amount: amountText,
      deadline: amountText.describe('Unix seconds.'),
      nonce: z.string().describe('Makes the intent unique.'),
    })
    .describe('The intent.'),
});

/** A token deposit authorized by a signature instead of an approval. */
const signedDeposit = z.object({
  standard: z
    .enum(['ERC-2612', 'ERC-3009'])
    .describe(
      'ERC-2612: a permit that only the sender can submit. ERC-3009: an authorization that any account can submit.',
    ),
  typedData: z
    .object({
      domain: typedDataDomain,
      primaryType: z.string().describe('The signed type.'),
      types: z.record(z.string(), typedDataFields).describe('EIP-712 types.'),
      message: z.record(z.string(), z.string()).describe('The values to sign.'),
    })
    .describe('As `eth_signTypedData_v4` takes it.'),
  call: unsignedCall.describe('Append v (as 32 bytes), r and s of the signature to `data`.'),
});

/** The prepared transfer. The request stores and reserves nothing. */
export const transactionsResponseSchema = z.object({
  quote: feeQuoteResponseSchema,
  warnings: warningsSchema,
  calls: z
    .array(unsignedCall)
    .describe('In sending order; send each after the previous one is mined. Empty for an intent.'),
  bySignature: z
    .array(signedDeposit)
    .describe(
      'Alternatives to `calls` for the same deposit, for tokens that accept signatures of the sender. ' +
        'Valid for 30 minutes.',
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
      'The body of `POST /bridge/xcn-withdraw-intent` without the `signature` of `typedData`; null if `typedData` is null.',
    ),
}) satisfies z.ZodType<TransactionsResponse>;
