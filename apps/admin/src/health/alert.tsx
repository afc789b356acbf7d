import type { AlertsResponse } from '@causeway/protocol/admin';
import { Badge, Hash, Time } from '@causeway/ui/components';
import type { Label } from '@causeway/ui/format';
import { DocsLink } from '../components/docs-link.js';

/** Labels of the severities, worst first, with the time to act. */
export const SEVERITY_LABELS: Readonly<
  Record<AlertsResponse['alerts'][number]['severity'], Label & { readonly when: string }>
> = {
  critical: { word: 'Critical', tone: 'bad', when: 'Act now.' },
  warning: { word: 'Warning', tone: 'warn', when: 'Act today.' },
  info: { word: 'Info', tone: 'info', when: 'Nothing is wrong: a decision is pending.' },
};

/** An alert of the API. */
export type Alert = AlertsResponse['alerts'][number];

/** Severity of an alert. */
export type Severity = Alert['severity'];

/** The severities, worst first. */
export const SEVERITIES = Object.keys(SEVERITY_LABELS) as readonly Severity[];

/** Sorts alerts, worst first; alerts of one severity stay in the order of the API. */
export function sortAlerts(alerts: readonly Alert[]): readonly Alert[] {
  return SEVERITIES.flatMap((severity) => alerts.filter((alert) => alert.severity === severity));
}

/** Counts alerts by severity, such as `1 critical, 2 warning`. */
export function countAlerts(alerts: readonly Alert[]): string {
  return SEVERITIES.flatMap((severity) => {
    const count = alerts.filter((alert) => alert.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}`];
  }).join(', ');
}

/** One alert: sentence, start, subject, what to do, and the page that explains it. */
export function AlertDetails({ alert }: { readonly alert: Alert }) {
  const { code, severity, sentence, since, subject, whatToDo, runbook } = alert;
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge label={SEVERITY_LABELS[severity]} />
        <span className="font-mono text-xs text-muted wrap-anywhere">{code}</span>
        {since === null ? null : (
          <span className="text-xs text-muted sm:ml-auto">
            since <Time at={since} />
          </span>
        )}
      </div>
      <p className="font-medium wrap-anywhere">{sentence}</p>
      {subject === null ? null : (
        <p className="text-muted wrap-anywhere">
          {subject.startsWith('0x') ? <Hash hex={subject} label="subject" /> : subject}
        </p>
      )}
      <p className="text-muted wrap-anywhere">
        <span className="font-medium text-ink">What to do: </span>
        {whatToDo}
      </p>
      <DocsLink name="Runbook" link={runbook} />
    </div>
  );
}
