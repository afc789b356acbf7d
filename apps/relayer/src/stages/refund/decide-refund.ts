import { isSignedByKey, operatorDecisionDigest, type Asset, type IntentDomain } from '@causeway/protocol';
import type { Refund, SignedDecision } from '@causeway/store';
import type { Address } from 'viem';

/** Decisions that a rejected intent needs, and a refund above the amount for which one approval is enough. */
const TWO = 2;

/** Who decides about refunds, and how many of them are needed. */
export interface RefundPolicy {
  /** Their addresses, lower-case. */
  readonly operators: readonly Address[];
  /** The amount up to which one approval is enough, in atomic units; 0 outside `local`. */
  readonly oneApprovalUpTo: Readonly<Record<Asset, bigint>>;
}

/** What the operators have decided about a refund. */
export type RefundVerdict =
  | { readonly kind: 'waits' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'approved'; readonly recipient: Address };

/** Leaves out the decisions that were not signed by a listed operator for this deployment. */
export async function signedByOperators(
  decisions: readonly SignedDecision[],
  { operators }: Pick<RefundPolicy, 'operators'>,
  domain: IntentDomain,
): Promise<SignedDecision[]> {
  const valid = await Promise.all(
    decisions.map(
      async ({ operator, decision, signature }) =>
        operators.includes(operator) &&
        (await isSignedByKey(operatorDecisionDigest(domain, decision), signature, operator)),
    ),
  );
  return decisions.filter((_, index) => valid[index]);
}

/**
 * Decides a refund by the decisions of operators about it. Pure. Each operator has one decision; a refusal of enough of
 * them comes first. Another recipient than the payer is named on evidence, so it always needs two.
 *
 * @param decisions as `signedByOperators` leaves them.
 */
export function decideRefund(
  { id, amount, asset, payer }: Pick<Refund, 'id' | 'amount' | 'asset' | 'payer'>,
  decisions: readonly SignedDecision[],
  { oneApprovalUpTo }: Pick<RefundPolicy, 'oneApprovalUpTo'>,
): RefundVerdict {
  const least = amount <= oneApprovalUpTo[asset] ? 1 : TWO;
  const about = new Map(decisions.map(({ operator, decision }) => [operator, decision]));
  const ours = [...about.values()].flatMap((decision) =>
    decision.kind !== 'REJECT' && decision.refundId === id ? [decision] : [],
  );
  if (ours.filter(({ kind }) => kind === 'REFUSE').length >= least) return { kind: 'refused' };
  const approvals = new Map<Address, number>();
  for (const decision of ours)
    if (decision.kind === 'APPROVE' && decision.amount === amount)
      approvals.set(decision.recipient, (approvals.get(decision.recipient) ?? 0) + 1);
  for (const [recipient, count] of approvals)
    if (count >= (recipient === payer ? least : TWO)) return { kind: 'approved', recipient };
  return { kind: 'waits' };
}

/** Whether two operators rejected an intent. Pure. `decisions` as `signedByOperators` leaves them. */
export function isRejected(intentId: string, decisions: readonly SignedDecision[]): boolean {
  const rejecting = decisions.filter(({ decision }) => decision.kind === 'REJECT' && decision.intentId === intentId);
  return new Set(rejecting.map(({ operator }) => operator)).size >= TWO;
}
