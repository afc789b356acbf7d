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
  readonly accessList: readonly { readonly address: `0x${string}`; readonly storageKeys: readonly `0x${string}`[] }[];
}
