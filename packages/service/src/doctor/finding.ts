/** How much a finding matters. `not yet`: the thing is still to be made, and nothing is wrong with it. */
export type Severity = 'ok' | 'warning' | 'error' | 'not yet';

/** One line of a report. `C` is the union of the service's checks. */
export interface Finding<C extends string = string> {
  readonly severity: Severity;
  /** The subject. */
  readonly check: C;
  readonly finding: string;
  /** The remedy. Null when nothing is to be done. */
  readonly nextStep: string | null;
}

/** Something that was read, or why it could not be read. */
export type Fact<T> =
  | { readonly ok: true; readonly value: T }
  /** `isThrottled`: the node refused because this process sends too many requests. */
  | { readonly ok: false; readonly reason: string; readonly isThrottled?: boolean };

/** Creates a finding that needs no next step. */
export function ok<C extends string>(check: C, finding: string): Finding<C> {
  return { severity: 'ok', check, finding, nextStep: null };
}

/** Creates a finding with which everything works, and which its reader should mend. */
export function warning<C extends string>(check: C, finding: string, nextStep: string): Finding<C> {
  return { severity: 'warning', check, finding, nextStep };
}

/** Creates a finding with which something does not work, or not safely. */
export function error<C extends string>(check: C, finding: string, nextStep: string): Finding<C> {
  return { severity: 'error', check, finding, nextStep };
}

/** Creates a finding about something that is still to be made. */
export function notYet<C extends string>(check: C, finding: string, nextStep: string): Finding<C> {
  return { severity: 'not yet', check, finding, nextStep };
}
