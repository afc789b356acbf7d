import {
  approvalsNeeded,
  changesMembers,
  countApprovals,
  requestDigest,
  type RequestSnapshot,
  type RequestDeployment,
  type RequestKind,
  type TermsOf,
} from '@causeway/protocol/admin';
import type { AdminRequest, ReadableRequest, Refund } from '@causeway/store';
import type { Address, Hex } from 'viem';
import type { ApprovalPolicy } from '../approval-variables.js';

type Signed = Pick<ReadableRequest, 'id' | 'terms' | 'version' | 'reason' | 'validUntil' | 'approvals'>;

/**
 * Returns why the signatures of a request do not suffice; null when they do. Only signatures of people in the relayer's
 * own list count: the API or a writer of the database could have forged everything else.
 *
 * @param on the state as the relayer reads it. The signed text is derived from it.
 */
export async function missingApprovals(
  request: Signed,
  on: RequestSnapshot,
  policy: ApprovalPolicy,
  deployment: RequestDeployment,
): Promise<string | null> {
  const { terms, approvals } = request;
  const needed = approvalsNeeded(terms, on, policy.oneApprovalUpTo);
  if (needed === 0) return null;
  const [listed, name] = changesMembers(terms)
    ? [policy.rootAdmins, 'an admin in ADMIN_ALLOW_LIST']
    : [policy.operators, 'among OPERATORS'];
  const counted = await countApprovals(requestDigest(deployment, { ...request, decidedOn: on }), approvals, listed);
  if (counted.length >= needed) return null;
  const count = `${needed} people must sign it, and ${counted.length} valid signatures count.`;
  const others = approvals.map(({ operator }) => operator).filter((operator) => !counted.includes(operator));
  const doubt =
    others.length === 0 ? '' : ` Not valid, or not ${name} in the relayer's configuration: ${others.join(', ')}`;
  return `${count}${doubt}`;
}

/** The operators who signed a request on the given state. */
export async function countDecided(
  request: Signed,
  on: RequestSnapshot,
  { operators }: Pick<ApprovalPolicy, 'operators'>,
  deployment: RequestDeployment,
): Promise<Address[]> {
  return countApprovals(requestDigest(deployment, { ...request, decidedOn: on }), request.approvals, operators);
}

/**
 * Whether operators approved a refund's recipient, full amount, asset and chain. Checked before each payment, since the
 * refund's row alone proves nothing.
 *
 * @param request the request that the refund names.
 */
export async function isRefundApproved(
  refund: Refund,
  request: AdminRequest | null,
  policy: ApprovalPolicy,
  deployment: RequestDeployment,
): Promise<boolean> {
  if (request === null || !isOfKind(request, 'REFUND_APPROVE')) return false;
  const { terms } = request;
  const fits =
    terms.refundId === refund.id && terms.recipient === refund.recipient && BigInt(terms.amount) === refund.amount;
  if (!fits) return false;
  const on = stateAtApproval(refund, request.decidedOn);
  const needed = approvalsNeeded(terms, on, policy.oneApprovalUpTo);
  return (await countDecided(request, on, policy, deployment)).length >= needed;
}

/** Whether operators rejected an intent. `request`: the request that the intent names. */
export async function isIntentRejected(
  intentId: Hex,
  request: AdminRequest | null,
  policy: ApprovalPolicy,
  deployment: RequestDeployment,
): Promise<boolean> {
  if (request === null || !isOfKind(request, 'INTENT_REJECT') || request.terms.intentId !== intentId) return false;
  const on = request.decidedOn ?? { about: 'nothing' };
  const needed = approvalsNeeded(request.terms, on, policy.oneApprovalUpTo);
  return (await countDecided(request, on, policy, deployment)).length >= needed;
}

/** Whether a request is readable and of this kind. */
function isOfKind<Kind extends RequestKind>(
  request: AdminRequest,
  kind: Kind,
): request is AdminRequest & { readonly terms: TermsOf<Kind> } {
  return request.terms?.kind === kind;
}

/**
 * The state that approvers saw. Only the fields that an approval itself changes come from the request. The rest comes
 * from the refund about to be paid, so the signed hash proves them.
 */
function stateAtApproval(refund: Refund, stored: RequestSnapshot | null): RequestSnapshot {
  const { operationId, chainId, asset, amount, payer } = refund;
  const { status, recipient } = stored?.about === 'refund' ? stored : refund;
  return { about: 'refund', status, operationId, chainId, asset, amount: amount.toString(), payer, recipient };
}
