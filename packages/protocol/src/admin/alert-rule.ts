/**
 * How urgent an alert is. `critical`: money or the service is at risk now. `warning`: it will be, if nothing is done.
 * `info`: waits for the decision of a person, and nothing is wrong.
 */
export type AlertSeverity = 'critical' | 'warning' | 'info';

/** A condition that needs a person. */
export interface AlertRule {
  readonly about:
    | 'the money'
    | 'the service'
    | 'the chains'
    | 'the operations'
    | 'the wallet'
    | 'the attesters'
    | 'the processes'
    | 'the machines';
  readonly severity: AlertSeverity;
  /** In Prometheus, with its labels in double braces. */
  readonly summary: string;
  /** When it begins, by the name of the unit. Console and Prometheus use the same. */
  readonly threshold?: Readonly<Partial<Record<'seconds' | 'days' | 'count', number>>>;
  /** Absent where there is no metric: then only the console shows it. One text a line of the expression. */
  readonly prometheus?: { readonly expression: readonly string[]; readonly for?: string };
}
