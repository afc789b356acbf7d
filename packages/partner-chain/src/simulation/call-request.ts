import { hexToBytes, unpadBytes, type EOACode7702AuthorizationListBytesItem } from '@ethereumjs/util';
import type { BlockOverrides, StateOverrides } from './overrides.js';

/** One of a call's authorizations (EIP-7702). */
interface CallAuthorization {
  readonly chainId: `0x${string}`;
  readonly address: `0x${string}`;
  readonly nonce: `0x${string}`;
  readonly yParity: `0x${string}`;
  readonly r: `0x${string}`;
  readonly s: `0x${string}`;
}

/** The request of eth_call and of other simulations, in the RPC's terms: values in wei. */
export interface CallRequest {
  readonly from: `0x${string}`;
  /** Null for a creation. */
  readonly to: `0x${string}` | null;
  /** Wei; a multiple of 10^10. */
  readonly value: bigint;
  readonly data: `0x${string}`;
  /** Null for as much as is allowed. */
  readonly gas: bigint | null;
  /** The most wei for a unit of gas; 0 charges nothing. */
  readonly gasPrice: bigint;
  /** Wei for a unit of gas above the base fee; null, or left out, for a price without a tip of its own. */
  readonly maxPriorityFeePerGas?: bigint | null;
  /** Signed permissions to run other code for accounts (EIP-7702). Quantities as 0x-hex. */
  readonly authorizationList?: readonly CallAuthorization[];
  readonly accessList: readonly { readonly address: `0x${string}`; readonly storageKeys: readonly `0x${string}`[] }[];
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
}

/** An authorization in the form of EthereumJS. */
export function toAuthorizationBytes(authorization: CallAuthorization): EOACode7702AuthorizationListBytesItem {
  const quantity = (text: `0x${string}`): Uint8Array => unpadBytes(hexToBytes(text));
  const { chainId, address, nonce, yParity, r, s } = authorization;
  return [quantity(chainId), hexToBytes(address), quantity(nonce), quantity(yParity), quantity(r), quantity(s)];
}
