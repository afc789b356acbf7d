import { useQuery } from '@tanstack/react-query';
import { Empty, Loaded, Time, ToneText } from '@causeway/ui/components';
import { alertsQuery } from '../api/queries.js';
import { Page } from '../components/page.js';
import { AlertDetails, SEVERITIES, type Alert, type Severity, SEVERITY_LABELS } from './alert.js';

/** The open alerts, grouped by severity, worst first. */
export function AlertsPage() {
  const query = useQuery(alertsQuery);
  return (
    <Page
      title="Alerts"
      subtitle={
        query.data === undefined ? (
          'Everything that needs attention now.'
        ) : (
          <>
            As of <Time at={query.data.at} />
          </>
        )
      }
    >
      <Loaded query={query}>
        {({ alerts }) =>
          alerts.length === 0 ? (
            <section aria-label="Alerts" className="rounded-xl border border-line bg-surface shadow-card">
              <Empty title="Nothing needs attention now.">
                The API found no alerts. It checks the database, the nodes and the contracts. It does not notice that a
                machine or a network is down: your monitoring does.
              </Empty>
            </section>
          ) : (
            SEVERITIES.map((severity) => (
              <SeveritySection
                key={severity}
                severity={severity}
                alerts={alerts.filter((alert) => alert.severity === severity)}
              />
            ))
          )
        }
      </Loaded>
    </Page>
  );
}

function SeveritySection({ severity, alerts }: { readonly severity: Severity; readonly alerts: readonly Alert[] }) {
  if (alerts.length === 0) return null;
  const label = SEVERITY_LABELS[severity];
  return (
    <section aria-label={label.word} className="rounded-xl border border-line bg-surface shadow-card">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-line px-4 py-3">
        <h2 className="font-semibold">
          <ToneText label={label} />
        </h2>
        <span className="text-muted tabular-nums">
          {alerts.length}. {label.when}
        </span>
      </div>
      <ul className="divide-y divide-line">
        {alerts.map((alert) => (
          <li key={`${alert.code} ${alert.subject ?? ''}`} className="px-4 py-3.5">
            <AlertDetails alert={alert} />
          </li>
        ))}
      </ul>
    </section>
  );
}
