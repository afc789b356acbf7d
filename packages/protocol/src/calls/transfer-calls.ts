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

/** A call of a transfer. `value` in wei of the chain's JSON-RPC. `gas`: a limit that always suffices. */
export interface TransferCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas: bigint;
}

/** Gas limits of the calls: at least half more than the most that each took (contracts/gas-snapshot.json). */
export const CALL_GAS = {
  approve: 100_000n,
  deposit: 150_000n,
  depositNative: 60_000n,
  depositSigned: 150_000n,
  burn: 110_000n,
  withdrawNative: 60_000n,
  // The partner chain may have to create the account of the recipient, for 587,000.
  claim: 1_000_000n,
};

/** Allows a contract to take an amount of a token: exactly this, whatever it may take now. */
export function approveCall(token: Address, spender: Address, amount: bigint): TransferCall {
  const data = encodeFunctionData({ abi: approveAbi, functionName: 'approve', args: [spender, amount] });
  return { to: token, data, value: 0n, gas: CALL_GAS.approve };
}

/** A deposit. `token`: on Ethereum, the zero address for ETH. */
export interface DepositTerms {
  readonly bridgeLock: Address;
  readonly token: Address;
  readonly amount: bigint;
  /** On the partner chain. */
  readonly recipient: Address;
}

/** Deposits ETH, or a token that BridgeLock may take. */
export function depositCall({ bridgeLock, token, amount, recipient }: DepositTerms): TransferCall {
  if (token === zeroAddress) {
    const data = encodeFunctionData({ abi: depositNativeAbi, functionName: 'depositNative', args: [recipient] });
    return { to: bridgeLock, data, value: amount, gas: CALL_GAS.depositNative };
  }
  const data = encodeFunctionData({ abi: depositAbi, functionName: 'deposit', args: [token, amount, recipient] });
  return { to: bridgeLock, data, value: 0n, gas: CALL_GAS.deposit };
}

/** Deposits a token with a permit of ERC-2612 by the sender of the call. See `permitTypedData`. */
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

/** An authorization of ERC-3009 without its signature. */
export interface AuthorizationTerms {
  /** The signer, who is the sender of the deposit. */
  readonly from: Address;
  /** 32 bytes that the signer has not used. */
  readonly salt: Hex;
  /** Unix seconds. */
  readonly validBefore: bigint;
}

/** Deposits a token with an authorization of ERC-3009. Any account may send it. See `authorizationTypedData`. */
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

/** A withdrawal. `token`: on the partner chain, the zero address for XCN. */
export interface WithdrawalTerms {
  readonly bridgeMint: Address;
  readonly token: Address;
  readonly amount: bigint;
  /** On Ethereum. */
  readonly recipient: Address;
  /** The highest fee that is accepted. */
  readonly maxFee: bigint;
}

/** Burns a bridged token, or pays native XCN to BridgeMint as the value of the call. */
export function withdrawalCall({ bridgeMint, token, amount, recipient, maxFee }: WithdrawalTerms): TransferCall {
  if (token === zeroAddress) {
    const args = [recipient, maxFee] as const;
    const data = encodeFunctionData({ abi: withdrawNativeAbi, functionName: 'withdrawNative', args });
    return { to: bridgeMint, data, value: amount, gas: CALL_GAS.withdrawNative };
  }
  const data = encodeFunctionData({ abi: burnAbi, functionName: 'burn', args: [token, amount, recipient, maxFee] });
  return { to: bridgeMint, data, value: 0n, gas: CALL_GAS.burn };
}

/** Takes the caller's credit of a token out of a contract of the bridge. */
export function claimCall(contract: Address, token: Address, to: Address): TransferCall {
  const data = encodeFunctionData({ abi: claimAbi, functionName: 'claim', args: [token, to] });
  return { to: contract, data, value: 0n, gas: CALL_GAS.claim };
}

function splitSignature(signature: Hex): { v: number; r: Hex; s: Hex } {
  const { r, s, yParity } = parseSignature(signature);
  return { v: 27 + yParity, r, s };
}
