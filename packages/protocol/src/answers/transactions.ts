import type { Address, Hex } from 'viem';
import type { Asset, Direction } from '../assets.js';
import type { IntentBody } from './intents.js';
import type { FeeQuoteResponse } from './quotes.js';
import type { TypedDataDomain, TypedDataField } from './typed-data.js';
import type { Warning } from './warnings.js';

/** The body of `POST /bridge/transactions`: the transfer that a wallet is about to begin. */
export interface TransactionsBody {
  readonly token: Asset;
  /** A plain decimal, in whole coins. */
  readonly amount: string;
  readonly direction: Direction;
  /** The account that pays, on the origin chain. */
  readonly senderAddress: Address;
  /** The account that is paid, on the destination chain. */
  readonly recipientAddress: Address;
  /** XCN from the partner chain by a signed intent instead of a call of BridgeMint; false unless given. */
  readonly byIntent?: boolean | undefined;
}

/** One call of a transfer: a transaction to be signed and sent by the sender. */
export interface UnsignedCall {
  /** One sentence for the user. */
  readonly description: string;
  readonly chainId: number;
  /** The sender. */
  readonly from: Address;
  /** The contract. */
  readonly to: Address;
  readonly data: Hex;
  /** In wei of the chain's JSON-RPC. */
  readonly value: string;
  /** A gas limit that always suffices; the rest is not charged. */
  readonly gas: string;
}

/** An intent as `eth_signTypedData_v4` takes it. */
export interface IntentTypedData {
  readonly domain: TypedDataDomain;
  readonly primaryType: 'XcnWithdrawIntent';
  readonly types: {
    readonly EIP712Domain: readonly TypedDataField[];
    readonly XcnWithdrawIntent: readonly TypedDataField[];
  };
  readonly message: {
    readonly sender: Address;
    readonly recipient: Address;
    /** In 18-decimal units. */
    readonly amount: string;
    /** Unix seconds. */
    readonly deadline: string;
    readonly nonce: string;
  };
}

/** A deposit of a token by a signature instead of an approval. */
export interface SignedDeposit {
  /** ERC-2612: a permit, sent by the sender. ERC-3009: an authorization, which any account may send. */
  readonly standard: 'ERC-2612' | 'ERC-3009';
  /** As `eth_signTypedData_v4` takes it. */
  readonly typedData: {
    readonly domain: TypedDataDomain;
    readonly primaryType: string;
    readonly types: Readonly<Record<string, readonly TypedDataField[]>>;
    readonly message: Readonly<Record<string, string>>;
  };
  /** Append v (as 32 bytes), r and s of the signature to `data`. */
  readonly call: UnsignedCall;
}

/** The answer to `POST /bridge/transactions`. Unsigned: nothing is stored, and nothing is reserved. */
export interface TransactionsResponse {
  readonly quote: FeeQuoteResponse;
  /** Empty when nothing was found. */
  readonly warnings: readonly Warning[];
  /** In the order in which they are sent, each after the one before was mined. Empty for an intent. */
  readonly calls: readonly UnsignedCall[];
  /** Other ways for the same deposit, each instead of all `calls`. They hold for 30 minutes. */
  readonly bySignature: readonly SignedDeposit[];
  /** The intent to sign; null for other transfers. */
  readonly typedData: IntentTypedData | null;
  /** The body that registers the intent, but for the signature of `typedData`; null without one. */
  readonly intentBody: Omit<IntentBody, 'signature'> | null;
}
