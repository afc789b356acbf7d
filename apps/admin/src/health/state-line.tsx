import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { describeError, Notice, Time, ToneText } from '@causeway/ui/components';
import { alertsQuery } from '../api/queries.js';
import { AlertDetails, countAlerts, sortAlerts, type Alert, SEVERITY_LABELS } from './alert.js';

/** Maximum alerts in one line each below the worst one. */
const MORE_SHOWN = 3;

/**
 * Shows the state of the bridge: the most severe alert with its remedy, and further alerts in one line each. `Running`
 * appears only without alerts.
 */
export function StateLine() {
  const { data, error, isError } = useQuery(alertsQuery);
  if (data === undefined) {
    if (!isError) return <Notice tone="neutral" title="Reading the alerts" />;
    return (
      <Notice tone="warn" title="The state of the bridge is unknown: the alerts could not be read.">
        {describeError(error)}
      </Notice>
    );
  }
  const [worst, ...others] = sortAlerts(data.alerts);
  return (
    <section
      aria-label="State of the bridge"
      className="flex flex-col gap-3 rounded-xl border border-line bg-surface p-4 shadow-card"
    >
      {isError ? (
        <Notice tone="warn" title="This may be out of date: the alerts could not be read again.">
          As of <Time at={data.at} />. {describeError(error)}
        </Notice>
      ) : null}
      {worst === undefined ? (
        <p className="flex flex-wrap items-baseline gap-x-3">
          <ToneText label={{ word: 'Running', tone: 'good' }} /> Nothing needs attention.
        </p>
      ) : (
        <>
          <AlertDetails alert={worst} />
          <MoreAlerts others={others} />
          <p className="text-muted">
            {countAlerts(data.alerts)}.{' '}
            <Link to="/alerts" className="font-medium text-accent underline">
              All alerts
            </Link>
          </p>
        </>
      )}
    </section>
  );
}

function MoreAlerts({ others }: { readonly others: readonly Alert[] }) {
  if (others.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1.5 border-t border-line pt-3">
      {others.slice(0, MORE_SHOWN).map((alert) => (
        <li key={`${alert.code} ${alert.subject ?? ''}`} className="flex flex-wrap items-baseline gap-x-3">
          <span className="w-20 shrink-0">
            <ToneText label={SEVERITY_LABELS[alert.severity]} />
          </span>
          <span className="min-w-0 flex-1 basis-60 wrap-anywhere">{alert.sentence}</span>
        </li>
      ))}
      {others.length > MORE_SHOWN ? <li className="text-muted">and {others.length - MORE_SHOWN} more</li> : null}
    </ul>
  );
}
