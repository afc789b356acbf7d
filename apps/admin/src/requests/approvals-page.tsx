import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { RequestResponse } from '@causeway/protocol/admin';
import { Badge, Countdown, DataTable, Empty, Loaded, Pager, Select, Time, type Column } from '@causeway/ui/components';
import { requestsQuery } from '../api/queries.js';
import { Page } from '../components/page.js';
import { Member } from '../session/member.js';
import { getWords } from './signed-message.js';
import { REQUEST_LABELS } from './request-parts.js';

function RequestLink({ request }: { readonly request: RequestResponse }) {
  return (
    <Link
      to="/approvals/$id"
      params={{ id: request.id }}
      className="block max-w-md font-medium wrap-anywhere text-accent hover:underline"
    >
      {getWords(request).action}
    </Link>
  );
}

function Remaining({ request: { endedAt, validUntil } }: { readonly request: RequestResponse }) {
  return endedAt === null ? <Countdown until={validUntil * 1_000} /> : <Time at={endedAt} isShort />;
}

const COLUMNS: Column<RequestResponse>[] = [
  {
    id: 'what',
    header: 'Request',
    cell: ({ row }) => (
      <div className="min-w-56">
        <RequestLink request={row.original} />
      </div>
    ),
  },
  { id: 'state', header: 'State', cell: ({ row }) => <Badge label={REQUEST_LABELS[row.original.state]} /> },
  {
    id: 'signatures',
    header: 'Signatures',
    cell: ({ row }) => (
      <span className="tabular-nums">
        {row.original.approvals.length} of {row.original.approvalsNeeded}
      </span>
    ),
  },
  { id: 'by', header: 'Requested by', cell: ({ row }) => <Member address={row.original.requestedBy} /> },
  {
    id: 'reason',
    header: 'Reason',
    cell: ({ row }) => (
      <span title={row.original.reason} className="line-clamp-1 max-w-md wrap-anywhere">
        {row.original.reason}
      </span>
    ),
  },
  { id: 'asked', header: 'Requested', cell: ({ row }) => <Time at={row.original.createdAt} isShort /> },
  { id: 'left', header: 'Time left or ended', cell: ({ row }) => <Remaining request={row.original} /> },
];

const STATES = [
  { value: '', words: 'Any state' },
  ...Object.entries(REQUEST_LABELS).map(([value, { word }]) => ({ value, words: word })),
];

/** The requests of all members, newest first: those that need a second member, and the results of the others. */
export function ApprovalsPage() {
  const search = useSearch({ from: '/shell/approvals' });
  const navigate = useNavigate();
  const query = useQuery(requestsQuery(search));
  return (
    <Page title="Approvals" subtitle="Requests of members to the relayer, newest first.">
      <section aria-label="List of requests" className="rounded-xl border border-line bg-surface shadow-card">
        <div className="w-56 max-w-full p-4">
          <Select
            label="State"
            value={search.state ?? ''}
            choices={STATES}
            onChange={(state) => void navigate({ to: '/approvals', search: state === '' ? {} : { state } })}
          />
        </div>
        <Loaded query={query}>
          {(page) =>
            page.requests.length === 0 ? (
              <Empty title="No requests match.">
                Make a request on the page of an operation, a refund, or pauses and halts.
              </Empty>
            ) : (
              <>
                <DataTable
                  caption="Requests"
                  columns={COLUMNS}
                  rows={page.requests}
                  getKey={({ id }) => id}
                  card={(request) => (
                    <div className="flex flex-col gap-1.5">
                      <div className="flex items-start justify-between gap-3">
                        <RequestLink request={request} />
                        <Badge label={REQUEST_LABELS[request.state]} />
                      </div>
                      <p className="line-clamp-2 wrap-anywhere">{request.reason}</p>
                      <p className="flex justify-between gap-3 text-xs text-muted">
                        <span>
                          {request.approvals.length} of {request.approvalsNeeded} signatures
                        </span>
                        <Remaining request={request} />
                      </p>
                    </div>
                  )}
                />
                <Pager page={page} shown={page.requests.length} what="requests" />
              </>
            )
          }
        </Loaded>
      </section>
    </Page>
  );
}
