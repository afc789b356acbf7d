import type { TermsOf } from '@causeway/protocol/admin';
import type { RequestEffect } from '@causeway/store';
import type { Infrastructure } from '../infrastructure.js';

export type PlanContext = Pick<Infrastructure, 'store' | 'chains' | 'configuration'>;

/** The actions that an operator can take alone on the relayer's machine: the commands. */
export type CommandTerms = TermsOf<'RETRY' | 'CANCEL' | 'HALT' | 'RESUME'>;

/** An action's effect, before anything changes. */
export interface Plan {
  /** The facts that a person should read first, one sentence each. */
  readonly findings: readonly string[];
  /** Null when the action is refused. */
  readonly effect: RequestEffect | null;
  /** The result of the effect, in words; or why it is refused, and the next step. */
  readonly outcome: string;
}

export function refused(why: string, findings: readonly string[] = []): Plan {
  return { findings, effect: null, outcome: why };
}
