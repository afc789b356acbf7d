import { hashTypedData, type Address, type Hex } from 'viem';
import type { AddressBook } from '@causeway/contracts/address-book';
import { canonicalJson } from '../canonical-json.js';
import { intentDomain, type IntentDomain } from '../intents.js';
import { isSignedByKey } from '../signatures.js';
import { TWO, type OneApprovalUpTo } from './actions/action.js';
import { getAction, type RequestTerms } from './actions/table.js';
import type { ChainIds } from './actions/words.js';
import { computeVersion } from './request-snapshot-version.js';
import type { RequestSnapshot } from './request-snapshot.js';
import { requestWords, type WordedRequest } from './request-words.js';
import { APPROVAL_WINDOW_SECONDS } from './requests.js';

/** Tolerated clock difference between two machines. */
const CLOCK_SKEW_SECONDS = 30;

/**
 * The request that an approver signs. The words and the hash of the state are both derived from it, so they match.
 */
export interface SignedRequest extends WordedRequest {
  /** 32 random bytes, so that each request is executed once. */
  readonly id: Hex;
}

/** The deployment that a signature is bound to. */
export interface RequestDeployment {
  readonly domain: IntentDomain;
  readonly chainIds: ChainIds;
}

/** Derives the deployment from an address book. */
export function requestDeployment({ ethereum, partner }: Pick<AddressBook, 'ethereum' | 'partner'>): RequestDeployment {
  return { domain: intentDomain(partner), chainIds: { ethereum: ethereum.chainId, partner: partner.chainId } };
}

/** The signature of one approver. */
export interface RequestApproval {
  /** Lower-case. */
  readonly operator: Address;
  readonly signature: Hex;
}

/** Wallets show the fields in this order. */
const TYPES = {
  AdminRequest: [
    { name: 'action', type: 'string' },
    { name: 'amount', type: 'string' },
    { name: 'recipient', type: 'string' },
    { name: 'chain', type: 'string' },
    { name: 'expires', type: 'string' },
    { name: 'reason', type: 'string' },
    { name: 'requestId', type: 'bytes32' },
    { name: 'kind', type: 'string' },
    { name: 'terms', type: 'string' },
    { name: 'state', type: 'bytes32' },
    { name: 'validUntil', type: 'uint64' },
  ],
} as const;

function toMessage(request: SignedRequest, chainIds: ChainIds) {
  const { id, terms, decidedOn, validUntil } = request;
  const binding = { requestId: id, kind: terms.kind, terms: canonicalJson(terms), state: computeVersion(decidedOn) };
  return { ...requestWords(request, chainIds), ...binding, validUntil };
}

/**
 * Computes the EIP-712 digest of a request, under the domain of the deployment. The words are always derived here: a
 * signature over other words does not count. The terms are canonical JSON, so that a wallet shows them to the signer.
 */
export function requestDigest({ domain, chainIds }: RequestDeployment, request: SignedRequest): Hex {
  const message = { ...toMessage(request, chainIds), validUntil: BigInt(request.validUntil) };
  return hashTypedData({ domain, types: TYPES, primaryType: 'AdminRequest', message });
}

/** Builds the typed data of `requestDigest` for `eth_signTypedData_v4`. */
export function requestTypedData({ domain, chainIds }: RequestDeployment, request: SignedRequest) {
  const EIP712Domain = [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ];
  const message = toMessage(request, chainIds);
  return { domain, types: { EIP712Domain, ...TYPES }, primaryType: 'AdminRequest', message };
}

/** Returns how many different people must sign; 0 if a request moves neither money nor trust. */
export function approvalsNeeded(terms: RequestTerms, on: RequestSnapshot, oneApprovalUpTo: OneApprovalUpTo): number {
  return getAction(terms).signatures.needed(terms, on, oneApprovalUpTo);
}

/** Returns whether a request changes the allow-list, which only admins of the configuration can approve. */
export function changesMembers(terms: RequestTerms): boolean {
  return getAction(terms).role === 'admin';
}

/**
 * Returns the distinct listed people whose keys signed a request. It trusts only the signatures, not the stored rows.
 *
 * @param listed addresses, lower-case.
 */
export async function countApprovals(
  digest: Hex,
  approvals: readonly RequestApproval[],
  listed: readonly Address[],
): Promise<Address[]> {
  const valid = await Promise.all(
    approvals.map(
      async ({ operator, signature }) =>
        listed.includes(operator) && (await isSignedByKey(digest, signature, operator)),
    ),
  );
  return [...new Set(approvals.filter((_, index) => valid[index]).map(({ operator }) => operator))];
}

/** Checks the expiry of a request. Approvals last 15 minutes; an expiry far beyond that is refused as `too long`. */
export function validity(validUntil: number, nowSeconds: number): 'valid' | 'expired' | 'too long' {
  if (nowSeconds > validUntil) return 'expired';
  return validUntil - nowSeconds > APPROVAL_WINDOW_SECONDS + CLOCK_SKEW_SECONDS ? 'too long' : 'valid';
}

/** A member added by a request, with that request and its approvals. */
export interface ApprovedMember {
  readonly address: Address;
  readonly role: string;
  readonly request: SignedRequest;
  readonly approvals: readonly RequestApproval[];
}

/**
 * Returns whether two admins of the configuration signed the request that added a member with this role. Without these
 * signatures a row of the allow-list has no effect.
 *
 * @param rootAdmins the admins of this process's own configuration, lower-case.
 */
export async function isMemberApproved(
  { address, role, request, approvals }: ApprovedMember,
  rootAdmins: readonly Address[],
  deployment: RequestDeployment,
): Promise<boolean> {
  const { terms } = request;
  if (terms.kind !== 'MEMBER_SET' || terms.address !== address || terms.role !== role) return false;
  return (await countApprovals(requestDigest(deployment, request), approvals, rootAdmins)).length >= TWO;
}
