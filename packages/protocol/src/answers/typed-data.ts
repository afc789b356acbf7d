import type { Address } from 'viem';

/** The EIP-712 domain of a signature: that of withdraw intents, or of a token. */
export interface TypedDataDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  /** The contract that the signature is for. */
  readonly verifyingContract: Address;
}

/** A field of one type of EIP-712. */
export interface TypedDataField {
  readonly name: string;
  /** In Solidity. */
  readonly type: string;
}
