import { hashTypedData, type Address, type Hex } from 'viem';
import type { Asset } from '../assets.js';
import { canonicalJson } from '../canonical-json.js';
import type { IntentDomain } from '../intents.js';
import { isSignedByKey } from '../signatures.js';
import type { DecidedOn } from './decided-on.js';
import { APPROVAL_WINDOW_SECONDS, type RequestTerms } from './requests.js';

/** Persons who agree on what moves money or trust. */
const TWO = 2;
/** How far the clocks of two machines may differ, in seconds. */
const CLOCK_SKEW_SECONDS = 30;

/** What an approver signs. */
export interface SignedRequest {
  /** 32 random bytes: each request is carried out once. */
  readonly id: Hex;
  readonly terms: RequestTerms;
  /** The hash of what it is decided on: see `versionOf`. */
  readonly version: Hex;
  readonly reason: string;
  /** Unix seconds. */
  readonly validUntil: number;
}

/** The signature of one approver. */
export interface RequestApproval {
  /** Lower-case. */
  readonly operator: Address;
  readonly signature: Hex;
}

const TYPES = {
  AdminRequest: [
    { name: 'requestId', type: 'bytes32' },
    { name: 'kind', type: 'string' },
    { name: 'terms', type: 'string' },
    { name: 'state', type: 'bytes32' },
    { name: 'reason', type: 'string' },
    { name: 'validUntil', type: 'uint64' },
  ],
} as const;

function messageOf({ id, terms, version, reason, validUntil }: SignedRequest) {
  return { requestId: id, kind: terms.kind, terms: canonicalJson(terms), state: version, reason, validUntil };
}

/**
 * The EIP-712 digest of a request, under the domain of the deployment. The terms are in it as canonical JSON, which
 * EIP-712 hashes with keccak256, so that a wallet shows them to the person who signs.
 */
export function requestDigest(domain: IntentDomain, request: SignedRequest): Hex {
  const message = { ...messageOf(request), validUntil: BigInt(request.validUntil) };
  return hashTypedData({ domain, types: TYPES, primaryType: 'AdminRequest', message });
}

/** The same as JSON, for `eth_signTypedData_v4`. */
export function requestTypedData(domain: IntentDomain, request: SignedRequest) {
  const EIP712Domain = [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ];
  return { domain, types: { EIP712Domain, ...TYPES }, primaryType: 'AdminRequest', message: messageOf(request) };
}

/** The amount up to which one approval of a refund is enough, in atomic units; 0 outside `local`. */
export type OneApprovalUpTo = Readonly<Record<Asset, bigint>>;

/**
 * How many different people must sign a request. What moves neither money nor trust needs no signature. A refund to
 * another address than the payer is decided on evidence, so it always needs two.
 */
export function approvalsNeeded(terms: RequestTerms, on: DecidedOn, oneApprovalUpTo: OneApprovalUpTo): number {
  switch (terms.kind) {
    case 'RETRY':
    case 'HALT':
      return 0;
    case 'RESUME':
      return terms.accept === 'nothing' ? 0 : TWO;
    case 'REFUND_APPROVE':
      return isSmall(on, oneApprovalUpTo) && on.about === 'refund' && terms.recipient === on.payer ? 1 : TWO;
    case 'REFUND_REFUSE':
      return isSmall(on, oneApprovalUpTo) ? 1 : TWO;
    case 'CANCEL':
    case 'INTENT_REJECT':
    case 'MEMBER_SET':
    case 'MEMBER_REMOVE':
      return TWO;
  }
}

function isSmall(on: DecidedOn, oneApprovalUpTo: OneApprovalUpTo): boolean {
  return on.about === 'refund' && BigInt(on.amount) <= oneApprovalUpTo[on.asset];
}

/** Whether a request changes the allow-list: then only the admins of the configuration count as approvers. */
export function changesMembers({ kind }: RequestTerms): boolean {
  return kind === 'MEMBER_SET' || kind === 'MEMBER_REMOVE';
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
  domain: IntentDomain,
): Promise<boolean> {
  const { terms } = request;
  if (terms.kind !== 'MEMBER_SET' || terms.address !== address || terms.role !== role) return false;
  return (await countApprovals(requestDigest(domain, request), approvals, rootAdmins)).length >= TWO;
}
