/** Severity of a finding. `not yet`: a step is still to be done and nothing is wrong. */
export type Severity = 'ok' | 'warning' | 'error' | 'not yet';

/** One line of a report. `C` is the union of the service's check names. */
export interface Finding<C extends string = string> {
  readonly severity: Severity;
  readonly check: C;
  readonly finding: string;
  /** The remedy; null if there is nothing to do. */
  readonly nextStep: string | null;
}

/** A value, or why it could not be read. */
export type Fact<T> =
  | { readonly ok: true; readonly value: T }
  /** `isThrottled`: the node rate-limits this process. */
  | { readonly ok: false; readonly reason: string; readonly isThrottled?: boolean };

/** Creates a finding without a next step. */
export function ok<C extends string>(check: C, finding: string): Finding<C> {
  return { severity: 'ok', check, finding, nextStep: null };
}

/** Creates a finding that should be fixed although everything works. */
export function warning<C extends string>(check: C, finding: string, nextStep: string): Finding<C> {
  return { severity: 'warning', check, finding, nextStep };
}

/** Creates a finding about something that does not work or is unsafe. */
export function error<C extends string>(check: C, finding: string, nextStep: string): Finding<C> {
  return { severity: 'error', check, finding, nextStep };
}

/** Creates a finding about a step that is still to be done. */
export function notYet<C extends string>(check: C, finding: string, nextStep: string): Finding<C> {
  return { severity: 'not yet', check, finding, nextStep };
}
