import type { TermsOf } from '@causeway/protocol/admin';
import type { RequestEffect } from '@causeway/store';
import type { Infrastructure } from '../infrastructure.js';

/** What planning uses. The commands of operators and the relayer have it. */
export type PlanContext = Pick<Infrastructure, 'store' | 'chains' | 'configuration'>;

/** What operators may do without signatures of others on the machine of the relayer: the commands. */
export type CommandTerms = TermsOf<'RETRY' | 'CANCEL' | 'HALT' | 'RESUME'>;

/** What an action comes to, before anything changes. */
export interface Plan {
  /** What a person should read first, a sentence each. */
  readonly findings: readonly string[];
  /** Null when it is refused. */
  readonly effect: RequestEffect | null;
  /** What the effect does, for people; or why it is refused, and what to do. */
  readonly outcome: string;
}

/** A refusal. */
export function refused(why: string, findings: readonly string[] = []): Plan {
  return { findings, effect: null, outcome: why };
}
