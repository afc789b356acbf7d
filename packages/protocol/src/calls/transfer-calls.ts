import { encodeFunctionData, parseSignature, zeroAddress, type Address, type Hex } from 'viem';
import {
  approveAbi,
  burnAbi,
  claimAbi,
  depositAbi,
  depositNativeAbi,
  depositWithAuthorizationAbi,
  depositWithPermitAbi,
  withdrawNativeAbi,
} from '../abi.js';

/** A contract call of a transfer. `value` in wei of JSON-RPC; `gas` is a sufficient limit. */
export interface TransferCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas: bigint;
}

/** Gas limits, at least 1.5 times the highest measured use (contracts/gas-snapshot.json). */
export const CALL_GAS = {
  approve: 100_000n,
  deposit: 150_000n,
  depositNative: 60_000n,
  depositSigned: 150_000n,
  burn: 110_000n,
  withdrawNative: 60_000n,
  // Creating the recipient's account on the partner chain can cost 587,000 gas.
  claim: 1_000_000n,
};

/** Sets the allowance of a contract to exactly this amount. */
export function approveCall(token: Address, spender: Address, amount: bigint): TransferCall {
  const data = encodeFunctionData({ abi: approveAbi, functionName: 'approve', args: [spender, amount] });
  return { to: token, data, value: 0n, gas: CALL_GAS.approve };
}

/** Terms of a deposit. `token`: address on Ethereum; the zero address for ETH. */
export interface DepositTerms {
  readonly bridgeLock: Address;
  readonly token: Address;
  readonly amount: bigint;
  /** Account on the partner chain. */
  readonly recipient: Address;
}

/** Deposits ETH, or a token with an allowance for BridgeLock. */
export function depositCall({ bridgeLock, token, amount, recipient }: DepositTerms): TransferCall {
  if (token === zeroAddress) {
    const data = encodeFunctionData({ abi: depositNativeAbi, functionName: 'depositNative', args: [recipient] });
    return { to: bridgeLock, data, value: amount, gas: CALL_GAS.depositNative };
  }
  const data = encodeFunctionData({ abi: depositAbi, functionName: 'deposit', args: [token, amount, recipient] });
  return { to: bridgeLock, data, value: 0n, gas: CALL_GAS.deposit };
}

/** Deposits a token with an ERC-2612 permit signed by the sender of the call. See `permitTypedData`. */
export function depositWithPermitCall(
  { bridgeLock, token, amount, recipient }: DepositTerms,
  deadline: bigint,
  signature: Hex,
): TransferCall {
  const { v, r, s } = splitSignature(signature);
  const args = [token, amount, recipient, deadline, v, r, s] as const;
  const data = encodeFunctionData({ abi: depositWithPermitAbi, functionName: 'depositWithPermit', args });
  return { to: bridgeLock, data, value: 0n, gas: CALL_GAS.depositSigned };
}

/** An unsigned ERC-3009 authorization. */
export interface AuthorizationTerms {
  /** The signer: the sender of the deposit. */
  readonly from: Address;
  /** 32 bytes that the signer has never used. */
  readonly salt: Hex;
  /** Unix seconds. */
  readonly validBefore: bigint;
}

/** Deposits a token with an ERC-3009 authorization. Any account can send it. See `authorizationTypedData`. */
export function depositWithAuthorizationCall(
  { bridgeLock, token, amount, recipient }: DepositTerms,
  terms: AuthorizationTerms,
  signature: Hex,
): TransferCall {
  const authorization = { ...terms, validAfter: 0n, ...splitSignature(signature) };
  const data = encodeFunctionData({
    abi: depositWithAuthorizationAbi,
    functionName: 'depositWithAuthorization',
    args: [token, amount, recipient, authorization],
  });
  return { to: bridgeLock, data, value: 0n, gas: CALL_GAS.depositSigned };
}

/** Terms of a withdrawal. `token`: address on the partner chain; the zero address for XCN. */
export interface WithdrawalTerms {
  readonly bridgeMint: Address;
  readonly token: Address;
  readonly amount: bigint;
  /** Account on Ethereum. */
  readonly recipient: Address;
  /** Maximum accepted fee, in atomic units. */
  readonly maxFee: bigint;
}

/** Burns a bridged token, or withdraws native XCN sent as the value of the call. */
export function withdrawalCall({ bridgeMint, token, amount, recipient, maxFee }: WithdrawalTerms): TransferCall {
  if (token === zeroAddress) {
    const args = [recipient, maxFee] as const;
    const data = encodeFunctionData({ abi: withdrawNativeAbi, functionName: 'withdrawNative', args });
    return { to: bridgeMint, data, value: amount, gas: CALL_GAS.withdrawNative };
  }
  const data = encodeFunctionData({ abi: burnAbi, functionName: 'burn', args: [token, amount, recipient, maxFee] });
  return { to: bridgeMint, data, value: 0n, gas: CALL_GAS.burn };
}

/** Claims the caller's credit of a token from a bridge contract. */
export function claimCall(contract: Address, token: Address, to: Address): TransferCall {
  const data = encodeFunctionData({ abi: claimAbi, functionName: 'claim', args: [token, to] });
  return { to: contract, data, value: 0n, gas: CALL_GAS.claim };
}

function splitSignature(signature: Hex): { v: number; r: Hex; s: Hex } {
  const { r, s, yParity } = parseSignature(signature);
  return { v: 27 + yParity, r, s };
}
