import type { RequestSnapshot } from '../request-snapshot.js';
import type { Action } from './action.js';
import { FIELDS, type FieldName, type FieldValues } from './fields.js';
import { HALT, RESUME } from './halts.js';
import { MEMBER_REMOVE, MEMBER_SET } from './members.js';
import { CANCEL, INTENT_REJECT, RETRY } from './operations.js';
import { REFUND_APPROVE, REFUND_REFUSE } from './refunds.js';

/**
 * The table of actions that operators can request of the relayer. The checks of the admin API, the signed words, the
 * dialogs of the console, the rows of the audit log and the operators' reference are derived from it.
 */
export const ACTIONS = {
  RETRY,
  CANCEL,
  HALT,
  RESUME,
  REFUND_APPROVE,
  REFUND_REFUSE,
  INTENT_REJECT,
  MEMBER_SET,
  MEMBER_REMOVE,
} as const;

/** The name of an action. */
export type RequestKind = keyof typeof ACTIONS;
/** The terms of one kind. */
export type TermsOf<Kind extends RequestKind> = {
  [Each in Kind]: { readonly kind: Each } & FieldValues<(typeof ACTIONS)[Each]['fields'][number]>;
}[Kind];
/** The terms of all kinds with this subject. */
export type TermsAbout<About extends Action['about']> = TermsOf<
  { [Kind in RequestKind]: (typeof ACTIONS)[Kind]['about'] extends About ? Kind : never }[RequestKind]
>;
/** The exact terms of a request, which every approver signs. */
export type RequestTerms = TermsOf<RequestKind>;

/** All names, in the order of the table. */
export const REQUEST_KINDS = Object.keys(ACTIONS) as RequestKind[];

/** Returns the action of the terms. */
export function getAction({ kind }: Pick<RequestTerms, 'kind'>): Action<FieldName, RequestTerms> {
  // Each entry's functions receive terms of the entry's kind.
  return ACTIONS[kind] as Action<FieldName, RequestTerms>;
}

/**
 * Returns why a request does not apply to a state and what to do; null if it applies. Pure. The commands, the API and
 * the relayer all use it.
 */
export function validateRequest(terms: RequestTerms, on: RequestSnapshot): string | null {
  return getAction(terms).validate(terms, on);
}

/** Returns the operation, refund, intent or member that the first field of the terms names; null for a halt. */
export function getSubject(terms: RequestTerms): string | null {
  const [first] = getAction(terms).fields;
  if (first === undefined || FIELDS[first].type === 'choice') return null;
  return (terms as Partial<FieldValues<FieldName>>)[first] ?? null;
}

/** Returns the audit log's name of a kind, such as `refund-approve`. */
export function toAuditAction({ kind }: Pick<RequestTerms, 'kind'>): string {
  return kind.toLowerCase().replace('_', '-');
}
