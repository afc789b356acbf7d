import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { alertsQuery, overviewQuery } from '../api/queries.js';
import { PAGE_GROUPS, type PageEntry } from './pages.js';

/** Number of items on a page that need attention, with the text for screen readers. */
interface Waiting {
  readonly count: number;
  readonly words: string;
}

function useCounts(): Readonly<Record<string, Waiting>> {
  const overview = useQuery(overviewQuery).data;
  const alerts = useQuery(alertsQuery).data;
  return {
    '/refunds': { count: overview?.refundsWaiting ?? 0, words: 'waiting for a decision' },
    '/approvals': { count: overview?.requestsWaiting ?? 0, words: 'waiting for approval' },
    '/alerts': { count: alerts?.alerts.length ?? 0, words: 'open' },
  };
}

interface EntryProps {
  readonly page: PageEntry;
  readonly waiting: Waiting | undefined;
  readonly onGo: () => void;
}

function Entry({ page, waiting, onGo }: EntryProps) {
  const { to, title, icon: Icon } = page;
  return (
    <Link
      to={to}
      onClick={onGo}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      className="group flex h-8.5 items-center gap-2.5 rounded-md px-2.5 font-medium text-muted hover:bg-sunken hover:text-ink data-[status=active]:bg-accent-soft data-[status=active]:text-accent"
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <span className="min-w-0 flex-1 truncate">{title}</span>
      {waiting !== undefined && waiting.count > 0 ? (
        <span className="rounded-full bg-accent-fill px-1.5 text-xs leading-5 text-on-accent tabular-nums">
          {waiting.count}
          <span className="sr-only"> {waiting.words}</span>
        </span>
      ) : null}
    </Link>
  );
}

/** The pages of the console in groups, each with its number of items that need attention. */
export function Navigation({ onGo }: { readonly onGo: () => void }) {
  const counts = useCounts();
  return (
    <nav aria-label="Pages" className="flex flex-col gap-5 px-3 py-4">
      {PAGE_GROUPS.map(({ title, pages }) => (
        <div key={title}>
          <p className="px-2.5 pb-1 text-xs font-medium text-muted">{title}</p>
          <ul className="flex flex-col gap-0.5">
            {pages.map((page) => (
              <li key={page.to}>
                <Entry page={page} onGo={onGo} waiting={counts[page.to]} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
