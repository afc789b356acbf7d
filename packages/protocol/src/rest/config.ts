import { z } from 'zod';
import { environmentSchema } from '../chains.js';
import { address, amountText, asset, decimalText } from './fields.js';

/** An asset on one chain. The zero address is the native coin. */
const token = z.object({
  token: asset,
  address,
  /** Of the amounts of this API and of the contract. */
  decimals: z.int(),
  /** Amounts are multiples of this, in atomic units. */
  granularity: amountText,
});

const chain = z.object({
  chainId: z.int(),
  /** Confirmations before an operation that begins here is final. */
  requiredConfirmations: z.int(),
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
  /** Receives burns and the payments of intents. Null while it is replaced: pay nothing then. */
  relayerWalletAddress: address.nullable(),
  /** Security hold of withdrawals. */
  holdSeconds: z.int(),
  withdrawals: z.array(withdrawalTerms),
  /** The EIP-712 domain and message of a withdraw intent. */
  intent: z.object({
    domain: z.object({ name: z.string(), version: z.string(), chainId: z.int(), verifyingContract: address }),
    primaryType: z.literal('XcnWithdrawIntent'),
    types: z.object({ XcnWithdrawIntent: z.array(typedDataField) }),
    /** An intent that is not paid this long after it was accepted expires. */
    windowSeconds: z.int(),
  }),
  /** How to use this API. */
  api: z.object({
    historyPageSize: z.object({ default: z.int(), maximum: z.int() }),
    /** Ids in one request of `GET /bridge/history`. */
    maximumIds: z.int(),
    idempotencyKeyLength: z.int(),
    /** Between two looks at a status. */
    pollSeconds: z.object({ minimum: z.int(), maximum: z.int() }),
  }),
});
/** The body of `GET /bridge/config`. */
export type ConfigResponse = z.output<typeof configResponseSchema>;
