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
  /** The paying account on the origin chain. */
  readonly senderAddress: Address;
  /** The receiving account on the destination chain. */
  readonly recipientAddress: Address;
  /** Withdraws XCN by a signed intent instead of a call to BridgeMint. Default: false. */
  readonly byIntent?: boolean | undefined;
}

/** One call of a transfer: an unsigned transaction that the sender signs and sends. */
export interface UnsignedCall {
  /** One sentence for the user. */
  readonly description: string;
  readonly chainId: number;
  /** The sender. */
  readonly from: Address;
  /** The contract. */
  readonly to: Address;
  readonly data: Hex;
  /** In wei, as JSON-RPC of the chain counts (18 decimals). */
  readonly value: string;
  /** A sufficient gas limit; unused gas is not charged. */
  readonly gas: string;
}

/** An intent in the form that `eth_signTypedData_v4` accepts. */
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

/** A token deposit authorized by a signature instead of an approval. */
export interface SignedDeposit {
  /** ERC-2612: a permit that only the sender can submit. ERC-3009: an authorization that any account can submit. */
  readonly standard: 'ERC-2612' | 'ERC-3009';
  /** In the form that `eth_signTypedData_v4` accepts. */
  readonly typedData: {
    readonly domain: TypedDataDomain;
    readonly primaryType: string;
    readonly types: Readonly<Record<string, readonly TypedDataField[]>>;
    readonly message: Readonly<Record<string, string>>;
  };
  /** Append v (as 32 bytes), r and s of the signature to `data`. */
  readonly call: UnsignedCall;
}

/** The answer to `POST /bridge/transactions`. It stores and reserves nothing. */
export interface TransactionsResponse {
  readonly quote: FeeQuoteResponse;
  /** Empty if the checks found no problem. */
  readonly warnings: readonly Warning[];
  /** In sending order; send each after the previous one is mined. Empty for an intent. */
  readonly calls: readonly UnsignedCall[];
  /** Alternatives to `calls` for the same deposit, valid for 30 minutes. */
  readonly bySignature: readonly SignedDeposit[];
  /** The intent to sign; null for other transfers. */
  readonly typedData: IntentTypedData | null;
  /** The body that registers the intent, without the signature of `typedData`; null if `typedData` is null. */
  readonly intentBody: Omit<IntentBody, 'signature'> | null;
}
