import { z } from 'zod';
import { environmentSchema } from '../chains.js';
import { address, amountText, asset, decimalText } from './fields.js';

/** An asset on one chain. The zero address is the native coin. */
const token = z.object({
  token: asset,
  address,
  decimals: z.int().describe('Of the amounts of this API and of the contract.'),
  granularity: amountText.describe('Amounts are multiples of this, in atomic units.'),
});

const chain = z.object({
  chainId: z.int(),
  requiredConfirmations: z.int().describe('Confirmations before an operation that begins here is final.'),
  tokens: z.array(token),
});

const typedDataField = z.object({ name: z.string(), type: z.string() });

/** The fee and the minimum of a withdrawal. Deposits have neither. */
const withdrawalTerms = z.object({
  token: asset,
  feeBps: z.int(),
  minimumFee: amountText,
  minimumFeeFormatted: decimalText,
  minimumAmount: amountText,
  minimumAmountFormatted: decimalText,
});

/** `GET /bridge/config`: everything that a client needs to know before it begins. */
export const configResponseSchema = z.object({
  environment: environmentSchema,
  ethereum: chain.extend({ bridgeLock: address }),
  partner: chain.extend({ bridgeMint: address }),
  relayerWalletAddress: address
    .nullable()
    .describe('Receives burns and the payments of intents. Null while it is replaced: pay nothing then.'),
  holdSeconds: z.int().describe('Security hold of withdrawals.'),
  withdrawals: z.array(withdrawalTerms),
  /** The EIP-712 domain and message of a withdraw intent. */
  intent: z.object({
    domain: z.object({ name: z.string(), version: z.string(), chainId: z.int(), verifyingContract: address }),
    primaryType: z.literal('XcnWithdrawIntent'),
    types: z.object({ XcnWithdrawIntent: z.array(typedDataField) }),
    windowSeconds: z.int().describe('An intent that is not paid this long after it was accepted expires.'),
  }),
  /** How to use this API. */
  api: z.object({
    historyPageSize: z.object({ default: z.int(), maximum: z.int() }),
    maximumIds: z.int().describe('Ids in one request of `GET /bridge/history`.'),
    idempotencyKeyLength: z.int(),
    pollSeconds: z.object({ minimum: z.int(), maximum: z.int() }).describe('Between two looks at a status.'),
  }),
});
/** The body of `GET /bridge/config`. */
export type ConfigResponse = z.output<typeof configResponseSchema>;
