import type { Asset } from '../../assets.js';
import type { RequestSnapshot } from '../request-snapshot.js';
import type { AdminRole } from '../roles.js';
import type { FieldName, FieldValues } from './fields.js';
import type { ActionWords, ChainIds } from './words.js';

/** Maximum refund that one approval allows, in atomic units; 0 outside `local`. */
export type OneApprovalUpTo = Readonly<Record<Asset, bigint>>;

/** The number of different people who must sign. */
interface Signatures<Terms> {
  /** For the table of the operators' reference. */
  readonly rule: string;
  needed(terms: Terms, on: RequestSnapshot, oneApprovalUpTo: OneApprovalUpTo): number;
}

/** An action that operators can request of the relayer. All its functions are pure. */
export interface Action<Names extends FieldName = FieldName, Terms = FieldValues<Names>> {
  /** Fields of the terms, in order. */
  readonly fields: readonly Names[];
  /** The kind of state that approvers decide on. */
  readonly about: Exclude<RequestSnapshot['about'], 'nothing'>;
  /** Effect in a sentence, for the command's help and the operators' reference. */
  readonly effect: string;
  /** The relayer command with the same effect. */
  readonly command: string | null;
  /** Role that can request and approve the action. For `admin`, only admins of the configuration can sign. */
  readonly role: AdminRole;
  /** True for destructive actions, shown in the danger colour. */
  readonly isDanger?: true;
  readonly signatures: Signatures<Terms>;
  /** Title of the dialog and the page. */
  title(terms: Terms): string;
  /** Returns why the action does not apply to a state and what to do; null if it applies. */
  validate(terms: Terms, on: RequestSnapshot): string | null;
  /** The signed words. Changing them invalidates stored signatures. */
  words(terms: Terms, on: RequestSnapshot, chainIds: ChainIds): ActionWords;
}

/** Defines an action whose functions receive the values of its fields. */
export function defineAction<const Names extends FieldName, const About extends Action['about']>(
  action: Action<Names> & { readonly about: About },
): Action<Names> & { readonly about: About } {
  return action;
}

/** For actions that move neither money nor trust. */
export const NO_SIGNATURE = { rule: 'none', needed: () => 0 } as const;
/** Signatures required to move money or trust. */
export const TWO = 2;
/** For actions that move money or trust. */
export const TWO_SIGNATURES = { rule: 'two', needed: () => TWO } as const;
