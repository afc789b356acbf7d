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

/** An asset on one chain. */
const token = z.object({
  token: asset,
  address: address.describe('Contract of the token; the zero address for the native coin.'),
  decimals: z.int().describe('Decimals of amounts in this API and in the contract.'),
  granularity: amountText.describe('Every amount is a multiple of this, in atomic units.'),
});

/** The parameter of `wallet_addEthereumChain` (EIP-3085). */
const walletChain = z.object({
  chainId: z.templateLiteral(['0x', z.string()]).describe('The chain id in hexadecimal.'),
  chainName: z.string().describe('Name for wallets.'),
  rpcUrls: z.array(z.url()).describe('Public JSON-RPC URLs.'),
  nativeCurrency: z
    .object({
      name: z.string().describe('Full name.'),
      symbol: z.string().describe('Symbol.'),
      decimals: z.literal(18).describe('Decimals of amounts in JSON-RPC.'),
    })
    .describe('The coin that pays for gas.'),
  blockExplorerUrls: z.array(z.url()).nullable().describe('Block explorers; null if the chain has none.'),
});

const chain = z.object({
  chainId,
  requiredConfirmations: z.int().describe('Confirmations before an operation that begins here is final.'),
  tokens: z.array(token).describe('The assets of the bridge on this chain.'),
  walletChain: walletChain
    .nullable()
    .describe(
      'The parameter of `wallet_addEthereumChain` (EIP-3085). Null if this deployment configures no public JSON-RPC.',
    ),
});

/** Fee and minimum of a withdrawal. Deposits have neither. */
const withdrawalTerms = z.object({
  token: asset,
  feeBps,
  minimumFee: amountText.describe('Minimum fee, in atomic units.'),
  minimumFeeFormatted: decimalText,
  minimumAmount: amountText.describe('Minimum amount, in atomic units.'),
  minimumAmountFormatted: decimalText,
});

/** `GET /bridge/config`: the settings that a client needs before its first transfer. */
export const configResponseSchema = z.object({
  environment: environmentSchema.describe('Environment of this bridge.'),
  ethereum: chain
    .extend({ bridgeLock: address.describe('The contract that accepts deposits and releases withdrawals.') })
    .describe('Ethereum.'),
  partner: chain
    .extend({ bridgeMint: address.describe('The contract that mints deposits and accepts withdrawals.') })
    .describe('The partner chain.'),
  relayerWalletAddress: address
    .nullable()
    .describe(
      'Receives burns and the payments of intents. Null while it is being replaced or cannot be confirmed: do not pay then.',
    ),
  holdSeconds: z.int().describe('Security hold of withdrawals, in seconds.'),
  withdrawals: z.array(withdrawalTerms).describe('Fees and minimums of withdrawals. Deposits have neither.'),
  intent: z
    .object({
      domain: typedDataDomain,
      primaryType: z.literal('XcnWithdrawIntent').describe('The signed type.'),
      types: z.object({ XcnWithdrawIntent: typedDataFields }).describe('EIP-712 types.'),
      windowSeconds: z.int().describe('An intent expires if it is not paid within this time after acceptance.'),
    })
    .describe('The EIP-712 domain and message of a withdraw intent.'),
  api: z
    .object({
      historyPageSize: z
        .object({ default: z.int().describe('Default.'), maximum: z.int().describe('Maximum.') })
        .describe('Operations per page of a history.'),
      maximumIds: z.int().describe('Maximum ids in one request of `GET /bridge/history`.'),
      idempotencyKeyLength: z.int().describe('Maximum characters of an idempotency key.'),
      pollSeconds: z
        .object({ minimum: z.int().describe('Minimum.'), maximum: z.int().describe('Maximum.') })
        .describe('Recommended polling interval for a status.'),
    })
    .describe('Limits of this API.'),
}) satisfies z.ZodType<ConfigResponse>;
