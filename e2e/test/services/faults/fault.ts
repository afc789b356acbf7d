import type { AlertCode } from '@causeway/protocol/admin';
import type { Drill } from './drill.js';

/** Ends a fault by the steps of the runbook. */
type Repair = () => Promise<void>;

/** Something that goes wrong, and the alerts by which an operator learns of it. */
export interface Fault {
  /** Completes "when". */
  readonly name: string;
  readonly alerts: readonly AlertCode[];
  /** Concerns no other fault of this kind: they are injected side by side, in every run. */
  readonly isIndependent?: true;
  readonly inject: (drill: Drill) => Promise<Repair>;
}
