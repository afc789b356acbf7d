import { useQuery } from '@tanstack/react-query';
import type { AlertsResponse } from '@causeway/protocol/admin';
import { alertsQuery } from '../api/queries.js';
import { Badge } from '../components/icon.js';
import { Page } from '../components/page.js';
import { Empty, Loaded } from '../components/states.js';
import { Hash, Time } from '../components/value.js';

/** What needs a person now, worst first. */
export function AlertsPage() {
  const query = useQuery(alertsQuery);
  return (
    <Page
      title="Alerts"
      subtitle={
        query.data === undefined ? (
          'What needs a person now.'
        ) : (
          <>
            As of <Time at={query.data.at} />
          </>
        )
      }
    >
      <section aria-label="Alerts" className="rounded-xl border border-line bg-surface shadow-card">
        <Loaded query={query}>
          {({ alerts }) =>
            alerts.length === 0 ? (
              <Empty title="Nothing needs a person now." />
            ) : (
              <ul className="divide-y divide-line">
                {alerts.map((alert) => (
                  <Alert key={`${alert.code} ${alert.subject ?? ''}`} alert={alert} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </section>
    </Page>
  );
}

function Alert({ alert }: { readonly alert: AlertsResponse['alerts'][number] }) {
  const { code, severity, sentence, since, subject, whatToDo } = alert;
  return (
    <li className="flex flex-col gap-1.5 px-4 py-3.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge
          label={severity === 'critical' ? { word: 'Critical', tone: 'bad' } : { word: 'Warning', tone: 'warn' }}
        />
        <span className="font-mono text-xs text-muted">{code}</span>
        {since === null ? null : (
          <span className="ml-auto text-xs text-muted">
            since <Time at={since} />
          </span>
        )}
      </div>
      <p className="font-medium wrap-anywhere">{sentence}</p>
      {subject === null ? null : (
        <p className="text-muted">{subject.startsWith('0x') ? <Hash hex={subject} label="subject" /> : subject}</p>
      )}
      <p className="text-muted wrap-anywhere">
        <span className="font-medium text-ink">What to do: </span>
        {whatToDo}
      </p>
    </li>
  );
}
