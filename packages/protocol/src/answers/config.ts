import type { Address, Hex } from 'viem';
import type { Asset } from '../assets.js';
import type { Environment } from '../chains.js';
import type { TypedDataDomain, TypedDataField } from './typed-data.js';

/** An asset on one chain. */
export interface ConfigToken {
  readonly token: Asset;
  /** Of the token; the zero address is the native coin. */
  readonly address: Address;
  /** Of the amounts of the API and of the contract. */
  readonly decimals: number;
  /** Amounts are multiples of this, in atomic units. */
  readonly granularity: string;
}

/** The parameter of `wallet_addEthereumChain` (EIP-3085). */
export interface WalletChain {
  /** The chain id in hexadecimal. */
  readonly chainId: Hex;
  readonly chainName: string;
  /** Public addresses of its JSON-RPC. */
  readonly rpcUrls: readonly string[];
  /** The coin that pays for gas. */
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: 18 };
  /** Its explorers; null for none. */
  readonly blockExplorerUrls: readonly string[] | null;
}

/** One of the two chains. */
export interface ConfigChain {
  readonly chainId: number;
  /** Confirmations before an operation that begins here is final. */
  readonly requiredConfirmations: number;
  /** The assets of the bridge on this chain. */
  readonly tokens: readonly ConfigToken[];
  /** Null if this deployment names no public JSON-RPC of it. */
  readonly walletChain: WalletChain | null;
}

/** The fee and the minimum of a withdrawal of an asset. Amounts in atomic units. */
export interface WithdrawalTerms {
  readonly token: Asset;
  /** The rate of the fee in hundredths of a percent. */
  readonly feeBps: number;
  readonly minimumFee: string;
  readonly minimumFeeFormatted: string;
  readonly minimumAmount: string;
  readonly minimumAmountFormatted: string;
}

/** The body of `GET /bridge/config`: everything that a client needs to know before it begins. */
export interface ConfigResponse {
  readonly environment: Environment;
  /** The Ethereum side, and its contract, which takes deposits and releases withdrawals. */
  readonly ethereum: ConfigChain & { readonly bridgeLock: Address };
  /** The partner chain, and its contract, which takes withdrawals and mints deposits. */
  readonly partner: ConfigChain & { readonly bridgeMint: Address };
  /** Receives the payments of intents. Null while it is replaced or cannot be confirmed: pay nothing then. */
  readonly relayerWalletAddress: Address | null;
  /** Security hold of withdrawals. */
  readonly holdSeconds: number;
  /** Deposits have neither fees nor minimums. */
  readonly withdrawals: readonly WithdrawalTerms[];
  /** The EIP-712 domain and message of a withdraw intent. */
  readonly intent: {
    readonly domain: TypedDataDomain;
    readonly primaryType: 'XcnWithdrawIntent';
    readonly types: { readonly XcnWithdrawIntent: readonly TypedDataField[] };
    /** An intent that is not paid this long after it was accepted expires. */
    readonly windowSeconds: number;
  };
  /** How to use the API. */
  readonly api: {
    /** Operations of one page of a history. */
    readonly historyPageSize: { readonly default: number; readonly maximum: number };
    /** Ids in one request of `GET /bridge/history`. */
    readonly maximumIds: number;
    /** Characters of an idempotency key at most. */
    readonly idempotencyKeyLength: number;
    /** Between two looks at a status. */
    readonly pollSeconds: { readonly minimum: number; readonly maximum: number };
  };
}
