import type { RequestSnapshot } from '../request-snapshot.js';
import type { Action } from './action.js';
import { FIELDS, type FieldName, type FieldValues } from './fields.js';
import { HALT, RESUME } from './halts.js';
import { MEMBER_REMOVE, MEMBER_SET } from './members.js';
import { CANCEL, INTENT_REJECT, RETRY } from './operations.js';
import { REFUND_APPROVE, REFUND_REFUSE } from './refunds.js';

/**
 * The table of actions: everything that operators can ask the relayer for. The checks of the admin API, the words that
 * are signed, the dialogs of the console, the rows of the audit log and the operators' reference follow from it.
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
/** The terms of every kind that is about this. */
export type TermsAbout<About extends Action['about']> = TermsOf<
  { [Kind in RequestKind]: (typeof ACTIONS)[Kind]['about'] extends About ? Kind : never }[RequestKind]
>;
/** The exact request, and nothing else. Every approver signs them. */
export type RequestTerms = TermsOf<RequestKind>;

/** All names, in the order of the table. */
export const REQUEST_KINDS = Object.keys(ACTIONS) as RequestKind[];

/** The action of some terms. */
export function getAction({ kind }: Pick<RequestTerms, 'kind'>): Action<FieldName, RequestTerms> {
  // The functions of an entry receive the terms of its own kind.
  return ACTIONS[kind] as Action<FieldName, RequestTerms>;
}

/**
 * Why a request makes no sense in a state, as a sentence with what to do; null when it may be carried out. Pure. The
 * commands, the API and the relayer all ask it.
 */
export function validateRequest(terms: RequestTerms, on: RequestSnapshot): string | null {
  return getAction(terms).validate(terms, on);
}

/** The operation, refund, intent or member that terms are about, which their first field names; null for a halt. */
export function getSubject(terms: RequestTerms): string | null {
  const [first] = getAction(terms).fields;
  if (first === undefined || FIELDS[first].type === 'choice') return null;
  return (terms as Partial<FieldValues<FieldName>>)[first] ?? null;
}

/** The action that the audit log has for a kind, such as `refund-approve`. */
export function toAuditAction({ kind }: Pick<RequestTerms, 'kind'>): string {
  return kind.toLowerCase().replace('_', '-');
}
