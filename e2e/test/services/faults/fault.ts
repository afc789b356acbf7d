import type { AlertCode } from '@causeway/protocol/admin';
import type { Drill } from './drill.js';

/** Repairs a fault by the runbook's steps. */
type Repair = () => Promise<void>;

/** A fault, and the alerts that report it. */
export interface Fault {
  /** Completes a sentence after "when". */
  readonly name: string;
  readonly alerts: readonly AlertCode[];
  /** Independent of other such faults; they are injected in parallel, in every run. */
  readonly isIndependent?: true;
  readonly inject: (drill: Drill) => Promise<Repair>;
}
