import type { IntentDomain } from '@causeway/protocol';
import {
  approvalsNeeded,
  changesMembers,
  countApprovals,
  requestDigest,
  type DecidedOn,
  type OneApprovalUpTo,
  type RequestTerms,
} from '@causeway/protocol/admin';
import type { AdminRequest, ReadableRequest, Refund } from '@causeway/store';
import type { Address, Hex } from 'viem';

/** Whose signatures count, by the relayer's own configuration. Addresses are lower-case. */
export interface ApprovalPolicy {
  readonly operators: readonly Address[];
  /** Who decides about members of the console. */
  readonly rootAdmins: readonly Address[];
  readonly oneApprovalUpTo: OneApprovalUpTo;
}

/** What verification uses of a request. */
type Signed = Pick<ReadableRequest, 'id' | 'terms' | 'version' | 'reason' | 'validUntil' | 'approvals'>;

/**
 * Why the signatures of a request do not suffice; null when they do. Only the signatures count, and only those of
 * people whom the relayer itself lists: the API, or a writer of the database, may have made everything else up.
 */
export async function missingApprovals(
  request: Signed,
  on: DecidedOn,
  policy: ApprovalPolicy,
  domain: IntentDomain,
): Promise<string | null> {
  const { terms, approvals } = request;
  const needed = approvalsNeeded(terms, on, policy.oneApprovalUpTo);
  if (needed === 0) return null;
  const [listed, name] = changesMembers(terms)
    ? [policy.rootAdmins, 'an admin in ADMIN_ALLOW_LIST']
    : [policy.operators, 'among OPERATORS'];
  const counted = await countApprovals(requestDigest(domain, request), approvals, listed);
  if (counted.length >= needed) return null;
  const others = approvals.map(({ operator }) => operator).filter((operator) => !counted.includes(operator));
  const doubt = others.length === 0 ? '' : ` Not valid, or not ${name} of the relayer: ${others.join(', ')}`;
  return `${needed} people must sign it, and ${counted.length} valid signatures count.${doubt}`;
}

/**
 * Whether operators approved what a refund is about to pay: its recipient, and all that arrived. Asked before each
 * payment, since its row alone proves nothing.
 *
 * @param request the one that the refund names.
 */
export async function isRefundApproved(
  refund: Refund,
  request: AdminRequest | null,
  policy: ApprovalPolicy,
  domain: IntentDomain,
): Promise<boolean> {
  if (request === null || !isOfKind(request, 'REFUND_APPROVE')) return false;
  const { terms } = request;
  const fits =
    terms.refundId === refund.id && terms.recipient === refund.recipient && BigInt(terms.amount) === refund.amount;
  return fits && (await missingApprovals(request, stateOf(refund), policy, domain)) === null;
}

/** Whether operators rejected an intent. `request`: the one that the intent names. */
export async function isIntentRejected(
  intentId: Hex,
  request: AdminRequest | null,
  policy: ApprovalPolicy,
  domain: IntentDomain,
): Promise<boolean> {
  if (request === null || !isOfKind(request, 'INTENT_REJECT') || request.terms.intentId !== intentId) return false;
  return (await missingApprovals(request, { about: 'nothing' }, policy, domain)) === null;
}

/** Whether a request can be read, and is of a kind. */
function isOfKind<Kind extends RequestTerms['kind']>(
  request: AdminRequest,
  kind: Kind,
): request is AdminRequest & { readonly terms: Extract<RequestTerms, { readonly kind: Kind }> } {
  return request.terms?.kind === kind;
}

function stateOf({ status, operationId, chainId, asset, amount, payer, recipient }: Refund): DecidedOn {
  const terms = { status, operationId, chainId, asset, payer, recipient };
  return { about: 'refund', ...terms, amount: amount.toString() };
}
