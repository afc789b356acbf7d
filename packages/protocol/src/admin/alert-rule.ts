/**
 * How urgent an alert is. `critical`: money or the service is at risk now. `warning`: it will be,
 * without action. `info`: a person must decide; nothing is wrong.
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
    | 'the watchtowers'
    | 'the processes'
    | 'the machines';
  readonly severity: AlertSeverity;
  /** In Prometheus, with its labels in double braces. */
  readonly summary: string;
  /** The value from which it fires, by its unit. Console and Prometheus use the same one. */
  readonly threshold?: Readonly<Partial<Record<'seconds' | 'days' | 'count', number>>>;
  /** Absent without a metric: then only the console shows it. Each text is a line of the expression. */
  readonly prometheus?: { readonly expression: readonly string[]; readonly for?: string };
}
