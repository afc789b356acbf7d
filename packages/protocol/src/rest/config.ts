import { z } from 'zod';
import type { ConfigResponse } from '../answers/config.js';
import { ENVIRONMENTS } from '../chains.js';
import {
  address,
  amountText,
  asset,
  chainId,
  decimalText,
  feeBps,
  typedDataDomain,
  typedDataFields,
} from './fields.js';

/** local, testnet or mainnet. */
export const environmentSchema = z.enum(ENVIRONMENTS);

/** An asset on one chain. The zero address is the native coin. */
const token = z.object({
  token: asset,
  address: address.describe('Of the token; the zero address is the native coin.'),
  decimals: z.int().describe('Of the amounts of this API and of the contract.'),
  granularity: amountText.describe('Amounts are multiples of this, in atomic units.'),
});

/** The parameter of `wallet_addEthereumChain` (EIP-3085). */
const walletChain = z.object({
  chainId: z.templateLiteral(['0x', z.string()]).describe('The chain id in hexadecimal.'),
  chainName: z.string().describe('As wallets show it.'),
  rpcUrls: z.array(z.url()).describe('Public addresses of its JSON-RPC.'),
  nativeCurrency: z
    .object({
      name: z.string().describe('In full.'),
      symbol: z.string().describe('In short.'),
      decimals: z.literal(18).describe('Of amounts in JSON-RPC.'),
    })
    .describe('The coin that pays for gas.'),
  blockExplorerUrls: z.array(z.url()).nullable().describe('Its explorers; null for none.'),
});

const chain = z.object({
  chainId,
  requiredConfirmations: z.int().describe('Confirmations before an operation that begins here is final.'),
  tokens: z.array(token).describe('The assets of the bridge on this chain.'),
  walletChain: walletChain
    .nullable()
    .describe(
      'The parameter of `wallet_addEthereumChain` (EIP-3085). Null if this deployment names no public JSON-RPC of it.',
    ),
});

/** The fee and the minimum of a withdrawal. Deposits have neither. */
const withdrawalTerms = z.object({
  token: asset,
  feeBps,
  minimumFee: amountText.describe('The lowest fee, in atomic units.'),
  minimumFeeFormatted: decimalText,
  minimumAmount: amountText.describe('The lowest amount, in atomic units.'),
  minimumAmountFormatted: decimalText,
});

/** `GET /bridge/config`: everything that a client needs to know before it begins. */
export const configResponseSchema = z.object({
  environment: environmentSchema.describe('Which networks this bridge connects.'),
  ethereum: chain
    .extend({ bridgeLock: address.describe('The contract that takes deposits and releases withdrawals.') })
    .describe('The Ethereum side.'),
  partner: chain
    .extend({ bridgeMint: address.describe('The contract that takes withdrawals and mints deposits.') })
    .describe('The partner chain.'),
  relayerWalletAddress: address
    .nullable()
    .describe(
      'Receives burns and the payments of intents. Null while it is replaced or cannot be confirmed: pay nothing then.',
    ),
  holdSeconds: z.int().describe('Security hold of withdrawals.'),
  withdrawals: z.array(withdrawalTerms).describe('Fees and minimums of withdrawals. Deposits have neither.'),
  intent: z
    .object({
      domain: typedDataDomain,
      primaryType: z.literal('XcnWithdrawIntent').describe('The type that is signed.'),
      types: z.object({ XcnWithdrawIntent: typedDataFields }).describe('The types of EIP-712.'),
      windowSeconds: z.int().describe('An intent that is not paid this long after it was accepted expires.'),
    })
    .describe('The EIP-712 domain and message of a withdraw intent.'),
  api: z
    .object({
      historyPageSize: z
        .object({ default: z.int().describe('Unless given.'), maximum: z.int().describe('At most.') })
        .describe('Operations of one page of a history.'),
      maximumIds: z.int().describe('Ids in one request of `GET /bridge/history`.'),
      idempotencyKeyLength: z.int().describe('Characters of an idempotency key at most.'),
      pollSeconds: z
        .object({ minimum: z.int().describe('At least.'), maximum: z.int().describe('At most.') })
        .describe('Between two looks at a status.'),
    })
    .describe('How to use this API.'),
}) satisfies z.ZodType<ConfigResponse>;
