import { encodeAbiParameters, keccak256, type Address, type Hex } from 'viem';
import type { TypedDataDomain } from '../answers/typed-data.js';

const PERMIT = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const;

const RECEIVE_WITH_AUTHORIZATION = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const;

/** The message of an ERC-2612 permit. */
interface Permit {
  readonly owner: Address;
  readonly spender: Address;
  readonly value: bigint;
  /** The owner's next permit nonce of the token. */
  readonly nonce: bigint;
  /** Unix seconds. */
  readonly deadline: bigint;
}

/** Builds the typed data of a permit (ERC-2612). */
export function permitTypedData(domain: TypedDataDomain, message: Permit) {
  return { domain, types: { Permit: PERMIT }, primaryType: 'Permit' as const, message: { ...message } };
}

/** Terms of a deposit by an ERC-3009 authorization. */
interface Authorization {
  readonly from: Address;
  /** BridgeLock, the only account that can use the authorization. */
  readonly to: Address;
  readonly value: bigint;
  /** Unix seconds. */
  readonly validBefore: bigint;
  readonly recipient: Address;
  readonly salt: Hex;
}

/** Builds the typed data of a deposit by an authorization (ERC-3009). The nonce binds the recipient. */
export function authorizationTypedData(
  domain: TypedDataDomain,
  { from, to, value, validBefore, recipient, salt }: Authorization,
) {
  const nonce = authorizationNonce(recipient, salt);
  return {
    domain,
    types: { ReceiveWithAuthorization: RECEIVE_WITH_AUTHORIZATION },
    primaryType: 'ReceiveWithAuthorization' as const,
    message: { from, to, value, validAfter: 0n, validBefore, nonce },
  };
}

/** Computes the nonce of an authorization as BridgeLock does, so that a submitter cannot change the recipient. */
export function authorizationNonce(recipient: Address, salt: Hex): Hex {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [recipient, salt]));
}
