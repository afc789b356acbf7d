import {
  Account,
  Address,
  bytesToBigInt,
  concatBytes,
  eoaCode7702RecoverAuthority,
  equalsBytes,
  MAX_UINT64,
  SECP256K1_ORDER_DIV_2,
  type EOACode7702AuthorizationListBytesItem,
} from '@ethereumjs/util';
import type { PartnerEvm } from './partner-evm.js';

const DELEGATION_PREFIX = Uint8Array.of(0xef, 0x01, 0x00);
/** Refund for an authority that already exists: PER_EMPTY_ACCOUNT_COST minus PER_AUTH_BASE_COST. */
const EXISTING_ACCOUNT_REFUND = 25_000n - 12_500n;

/**
 * Sets the code of accounts that their owners authorized (EIP-7702). Skips invalid authorizations.
 *
 * @returns the gas to refund.
 */
export async function applyAuthorizations(
  evm: PartnerEvm,
  authorizations: readonly EOACode7702AuthorizationListBytesItem[],
  chainId: bigint,
): Promise<bigint> {
  let refund = 0n;
  for (const authorization of authorizations) refund += await apply(evm, authorization, chainId);
  return refund;
}

/** Returns whether an account's code is a delegation to other code (EIP-7702). */
export function isDelegation(code: Uint8Array): boolean {
  return code.length === 23 && equalsBytes(code.subarray(0, 3), DELEGATION_PREFIX);
}

async function apply(
  { evm, state }: PartnerEvm,
  authorization: EOACode7702AuthorizationListBytesItem,
  chainId: bigint,
): Promise<bigint> {
  const [authorizedChain, target, nonce, yParity, , s] = authorization;
  const chain = bytesToBigInt(authorizedChain);
  if (chain !== 0n && chain !== chainId) return 0n;
  if (bytesToBigInt(nonce) >= MAX_UINT64) return 0n;
  if (bytesToBigInt(s) > SECP256K1_ORDER_DIV_2 || bytesToBigInt(yParity) > 1n) return 0n;
  const authority = recover(authorization);
  if (authority === null) return 0n;
  evm.journal.addAlwaysWarmAddress(authority.toString());
  const existing = await state.getAccount(authority);
  const account = existing ?? new Account();
  if (account.isContract() && !isDelegation(await state.getCode(authority))) return 0n;
  if (account.nonce !== bytesToBigInt(nonce)) return 0n;
  account.nonce += 1n;
  await evm.journal.putAccount(authority, account);
  const isZero = equalsBytes(target, new Uint8Array(20));
  await state.putCode(authority, isZero ? new Uint8Array(0) : concatBytes(DELEGATION_PREFIX, target));
  return existing === undefined ? 0n : EXISTING_ACCOUNT_REFUND;
}

function recover(authorization: EOACode7702AuthorizationListBytesItem): Address | null {
  try {
    return eoaCode7702RecoverAuthority(authorization);
  } catch {
    return null; // The signature does not recover to an account.
  }
}
