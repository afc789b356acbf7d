import { hexToBytes, unpadBytes, type EOACode7702AuthorizationListBytesItem } from '@ethereumjs/util';
import type { BlockOverrides, StateOverrides } from './overrides.js';

/** An authorization of a call (EIP-7702). */
interface CallAuthorization {
  readonly chainId: `0x${string}`;
  readonly address: `0x${string}`;
  readonly nonce: `0x${string}`;
  readonly yParity: `0x${string}`;
  readonly r: `0x${string}`;
  readonly s: `0x${string}`;
}

/** The request of eth_call and other simulations, with values in wei as in the RPC. */
export interface CallRequest {
  readonly from: `0x${string}`;
  /** Null for a creation. */
  readonly to: `0x${string}` | null;
  /** Wei; a multiple of 10^10. */
  readonly value: bigint;
  readonly data: `0x${string}`;
  /** Null for the maximum. */
  readonly gas: bigint | null;
  /** Maximum wei for a unit of gas; 0 charges nothing. */
  readonly gasPrice: bigint;
  /** Wei for a unit of gas above the base fee. Null or absent: no explicit tip. */
  readonly maxPriorityFeePerGas?: bigint | null;
  /** Signed permissions to run other code for accounts (EIP-7702). Quantities as 0x-hex. */
  readonly authorizationList?: readonly CallAuthorization[];
  readonly accessList: readonly { readonly address: `0x${string}`; readonly storageKeys: readonly `0x${string}`[] }[];
  readonly stateOverrides?: StateOverrides;
  readonly blockOverrides?: BlockOverrides;
}

/** Converts an authorization to the form of EthereumJS. */
export function toAuthorizationBytes(authorization: CallAuthorization): EOACode7702AuthorizationListBytesItem {
  const quantity = (text: `0x${string}`): Uint8Array => unpadBytes(hexToBytes(text));
  const { chainId, address, nonce, yParity, r, s } = authorization;
  return [quantity(chainId), hexToBytes(address), quantity(nonce), quantity(yParity), quantity(r), quantity(s)];
}
