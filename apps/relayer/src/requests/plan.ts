import type { TermsOf } from '@causeway/protocol/admin';
import type { RequestEffect } from '@causeway/store';
import type { Infrastructure } from '../infrastructure.js';

/** The dependencies of planning. The commands of operators and the relayer have them. */
export type PlanContext = Pick<Infrastructure, 'store' | 'chains' | 'configuration'>;

/** The actions that operators may take without signatures of others on the machine of the relayer: the commands. */
export type CommandTerms = TermsOf<'RETRY' | 'CANCEL' | 'HALT' | 'RESUME'>;

/** The result of an action, before anything changes. */
export interface Plan {
  /** The facts that a person should read first, a sentence each. */
  readonly findings: readonly string[];
  /** Null when it is refused. */
  readonly effect: RequestEffect | null;
  /** The result of the effect, for people; or why it is refused, and the next step. */
  readonly outcome: string;
}

/** A refusal. */
export function refused(why: string, findings: readonly string[] = []): Plan {
  return { findings, effect: null, outcome: why };
}
