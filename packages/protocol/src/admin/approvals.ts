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

/** How far the clocks of two machines may differ, in seconds. */
const CLOCK_SKEW_SECONDS = 30;

/**
 * The request that an approver signs. The words and the hash of the state both follow from it, so they cannot differ.
 */
export interface SignedRequest extends WordedRequest {
  /** 32 random bytes: each request is carried out once. */
  readonly id: Hex;
}

/** The deployment whose requests are signed. */
export interface RequestDeployment {
  readonly domain: IntentDomain;
  readonly chainIds: ChainIds;
}

/** The deployment of an address book. */
export function requestDeployment({ ethereum, partner }: Pick<AddressBook, 'ethereum' | 'partner'>): RequestDeployment {
  return { domain: intentDomain(partner), chainIds: { ethereum: ethereum.chainId, partner: partner.chainId } };
}

/** The signature of one approver. */
export interface RequestApproval {
  /** Lower-case. */
  readonly operator: Address;
  readonly signature: Hex;
}

/** A wallet shows the fields in this order. */
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
 * The EIP-712 digest of a request, under the domain of the deployment. Its words are derived here, and never taken from
 * others: a signature over other words is one of something else. The terms are in it as canonical JSON, which EIP-712
 * hashes with keccak256, so that a wallet shows them to the person who signs.
 */
export function requestDigest({ domain, chainIds }: RequestDeployment, request: SignedRequest): Hex {
  const message = { ...toMessage(request, chainIds), validUntil: BigInt(request.validUntil) };
  return hashTypedData({ domain, types: TYPES, primaryType: 'AdminRequest', message });
}

/** The same as JSON, for `eth_signTypedData_v4`. */
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

/** How many different people must sign a request. What moves neither money nor trust needs no signature. */
export function approvalsNeeded(terms: RequestTerms, on: RequestSnapshot, oneApprovalUpTo: OneApprovalUpTo): number {
  return getAction(terms).signatures.needed(terms, on, oneApprovalUpTo);
}

/** Whether a request changes the allow-list: then only the admins of the configuration count as approvers. */
export function changesMembers(terms: RequestTerms): boolean {
  return getAction(terms).role === 'admin';
}

/**
 * The different listed people whose own keys signed a request, in canonical form. Nothing else that a row says counts.
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

/** How the time of a request stands to now. Approvals are valid for 15 minutes, so none is valid until much later. */
export function validity(validUntil: number, nowSeconds: number): 'valid' | 'expired' | 'too long' {
  if (nowSeconds > validUntil) return 'expired';
  return validUntil - nowSeconds > APPROVAL_WINDOW_SECONDS + CLOCK_SKEW_SECONDS ? 'too long' : 'valid';
}

/** A member that a request added, with that request and its approvals. */
export interface ApprovedMember {
  readonly address: Address;
  readonly role: string;
  readonly request: SignedRequest;
  readonly approvals: readonly RequestApproval[];
}

/**
 * Whether two admins of the configuration signed the request that added a member with this role. A row of the
 * allow-list counts for nothing without it.
 *
 * @param rootAdmins the admins of the reader's own configuration, lower-case.
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
