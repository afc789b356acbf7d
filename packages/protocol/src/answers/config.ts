import type { Address, Hex } from 'viem';
import type { Asset } from '../assets.js';
import type { Environment } from '../chains.js';
import type { TypedDataDomain, TypedDataField } from './typed-data.js';

/** An asset on one chain. */
export interface ConfigToken {
  readonly token: Asset;
  /** Contract of the token; the zero address for the native coin. */
  readonly address: Address;
  /** Decimals of amounts in the API and in the contract. */
  readonly decimals: number;
  /** Every amount is a multiple of this, in atomic units. */
  readonly granularity: string;
}

/** The parameter of `wallet_addEthereumChain` (EIP-3085). */
export interface WalletChain {
  /** The chain id in hexadecimal. */
  readonly chainId: Hex;
  readonly chainName: string;
  /** Public JSON-RPC URLs. */
  readonly rpcUrls: readonly string[];
  /** The coin that pays for gas. */
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: 18 };
  /** Block explorers; null if the chain has none. */
  readonly blockExplorerUrls: readonly string[] | null;
}

/** One of the two chains. */
export interface ConfigChain {
  readonly chainId: number;
  /** Confirmations before an operation that begins here is final. */
  readonly requiredConfirmations: number;
  /** The assets of the bridge on this chain. */
  readonly tokens: readonly ConfigToken[];
  /** Null if this deployment configures no public JSON-RPC for the chain. */
  readonly walletChain: WalletChain | null;
}

/** The withdrawal fee and minimum of an asset. Amounts in atomic units. */
export interface WithdrawalTerms {
  readonly token: Asset;
  /** Fee rate in hundredths of a percent. */
  readonly feeBps: number;
  readonly minimumFee: string;
  readonly minimumFeeFormatted: string;
  readonly minimumAmount: string;
  readonly minimumAmountFormatted: string;
}

/** The body of `GET /bridge/config`: the settings that a client needs before its first transfer. */
export interface ConfigResponse {
  readonly environment: Environment;
  /** Ethereum and BridgeLock, which accepts deposits and releases withdrawals. */
  readonly ethereum: ConfigChain & { readonly bridgeLock: Address };
  /** The partner chain and BridgeMint, which mints deposits and accepts withdrawals. */
  readonly partner: ConfigChain & { readonly bridgeMint: Address };
  /** Receives the payments of intents. Null while it is being replaced or cannot be confirmed: do not pay then. */
  readonly relayerWalletAddress: Address | null;
  /** Security hold of withdrawals, in seconds. */
  readonly holdSeconds: number;
  /** One entry per asset. Deposits have no fee and no minimum. */
  readonly withdrawals: readonly WithdrawalTerms[];
  /** The EIP-712 domain and message of a withdraw intent. */
  readonly intent: {
    readonly domain: TypedDataDomain;
    readonly primaryType: 'XcnWithdrawIntent';
    readonly types: { readonly XcnWithdrawIntent: readonly TypedDataField[] };
    /** An intent expires if it is not paid within this time after acceptance. */
    readonly windowSeconds: number;
  };
  /** Limits of the API. */
  readonly api: {
    /** Operations per page of a history. */
    readonly historyPageSize: { readonly default: number; readonly maximum: number };
    /** Ids in one request of `GET /bridge/history`. */
    readonly maximumIds: number;
    /** Maximum characters of an idempotency key. */
    readonly idempotencyKeyLength: number;
    /** Recommended polling interval for a status. */
    readonly pollSeconds: { readonly minimum: number; readonly maximum: number };
  };
}
