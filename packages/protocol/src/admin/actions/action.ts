import type { Asset } from '../../assets.js';
import type { RequestSnapshot } from '../request-snapshot.js';
import type { AdminRole } from '../roles.js';
import type { FieldName, FieldValues } from './fields.js';
import type { ActionWords, ChainIds } from './words.js';

/** The amount up to which one approval of a refund is enough, in atomic units; 0 outside `local`. */
export type OneApprovalUpTo = Readonly<Record<Asset, bigint>>;

/** How many different people must sign a request. */
interface Signatures<Terms> {
  /** For the table of the operators' reference. */
  readonly rule: string;
  needed(terms: Terms, on: RequestSnapshot, oneApprovalUpTo: OneApprovalUpTo): number;
}

/** Something that operators can ask the relayer for. All its functions are pure. */
export interface Action<Names extends FieldName = FieldName, Terms = FieldValues<Names>> {
  /** Of its terms, in their order. */
  readonly fields: readonly Names[];
  /** The state that people decide on. */
  readonly about: Exclude<RequestSnapshot['about'], 'nothing'>;
  /** The sentence of what it changes, for the help of its command and the operators' reference. */
  readonly effect: string;
  /** The command of the relayer that does the same without the console. */
  readonly command: string | null;
  /** May ask for it and approve it. Signatures for an action of admins are of those of the configuration. */
  readonly role: AdminRole;
  /** It takes something away: shown in the colour of danger. */
  readonly isDanger?: true;
  readonly signatures: Signatures<Terms>;
  /** The title of its dialog and its page. */
  title(terms: Terms): string;
  /** Why it makes no sense in a state, as a sentence with what to do; null when it may be carried out. */
  validate(terms: Terms, on: RequestSnapshot): string | null;
  /** The words that people sign. They never change: signatures over them count later. */
  words(terms: Terms, on: RequestSnapshot, chainIds: ChainIds): ActionWords;
}

/** Defines an action. Its functions receive the values of its fields. */
export function defineAction<const Names extends FieldName, const About extends Action['about']>(
  action: Action<Names> & { readonly about: About },
): Action<Names> & { readonly about: About } {
  return action;
}

/** It moves neither money nor trust. */
export const NO_SIGNATURE = { rule: 'none', needed: () => 0 } as const;
/** Persons who agree on what moves money or trust. */
export const TWO = 2;
/** It moves money or trust. */
export const TWO_SIGNATURES = { rule: 'two', needed: () => TWO } as const;
