/** One of a call's authorizations (EIP-7702). */
export interface CallAuthorization {
  readonly chainId: `0x${string}`;
  readonly address: `0x${string}`;
  readonly nonce: `0x${string}`;
  readonly yParity: `0x${string}`;
  readonly r: `0x${string}`;
  readonly s: `0x${string}`;
}

/** What eth_call, eth_estimateGas ask to run, in the RPC's terms: values in wei. */
export interface CallRequest {
  readonly from: `0x${string}`;
  /** None for a creation. */
  readonly to: `0x${string}` | null;
  /** Wei; a multiple of 10^10. */
  readonly value: bigint;
  readonly data: `0x${string}`;
  /** None for as much as is allowed. */
  readonly gas: bigint | null;
  /** Wei for a unit of gas; 0 asks for nothing to be paid. */
  readonly gasPrice: bigint;
  /** Signed permissions to run other code for accounts (EIP-7702); none for other types of transaction. Quantities as 0x-hex. */
  readonly authorizationList?: readonly CallAuthorization[];
  readonly accessList: readonly { readonly address: `0x${string}`; readonly storageKeys: readonly `0x${string}`[] }[];
}
