import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { AdminIntentsResponse } from '@causeway/protocol/admin';
import { DataTable, Empty, Hash, Loaded, MaybeHash, Pager, Select, Time, type Column } from '@causeway/ui/components';
import { STATUS_LABELS } from '@causeway/ui/format';
import { intentsQuery } from '../api/queries.js';
import { Page } from '../components/page.js';
import { OperationCard, OperationLink, RowAmount, RowStatus } from './operation-columns.js';

type Intent = AdminIntentsResponse['intents'][number];

const COLUMNS: Column<Intent>[] = [
  { id: 'created', header: 'Time', cell: ({ row }) => <Time at={row.original.createdAt} isShort /> },
  { id: 'amount', header: 'Amount', isNumber: true, cell: ({ row }) => <RowAmount row={row.original} /> },
  { id: 'status', header: 'Status', cell: ({ row }) => <RowStatus row={row.original} /> },
  {
    id: 'sender',
    header: 'Signer and recipient',
    cell: ({ row }) => (
      <span className="flex flex-col">
        <Hash hex={row.original.sender} label="signer" />
        <Hash hex={row.original.recipient} label="recipient" />
      </span>
    ),
  },
  {
    id: 'proposed',
    header: 'Transfer',
    cell: ({ row }) => <MaybeHash hex={row.original.proposedOriginTxHash} label="proposed transfer" />,
  },
  {
    id: 'ends',
    header: 'Window ends',
    cell: ({ row }) => (
      <span className="flex flex-col">
        <Time at={row.original.expiresAt} isShort />
        <span className="text-xs whitespace-nowrap text-muted">
          deadline <Time at={row.original.deadline} isShort />
        </span>
      </span>
    ),
  },
  { id: 'id', header: 'Intent', cell: ({ row }) => <OperationLink id={row.original.id} /> },
];

const STATUSES = [
  { value: '', words: 'Any status' },
  ...Object.entries(STATUS_LABELS).map(([value, { word }]) => ({ value, words: word })),
];

/** Signed orders to withdraw native XCN, newest first. */
export function IntentsPage() {
  const search = useSearch({ from: '/shell/intents' });
  const navigate = useNavigate();
  const query = useQuery(intentsQuery(search));
  return (
    <Page title="Intents" subtitle="Signed orders to withdraw native XCN, newest first.">
      <section aria-label="List of intents" className="rounded-xl border border-line bg-surface shadow-card">
        <div className="w-56 max-w-full p-4">
          <Select
            label="Status"
            value={search.status ?? ''}
            choices={STATUSES}
            onChange={(status) => void navigate({ to: '/intents', search: status === '' ? {} : { status } })}
          />
        </div>
        <Loaded query={query} rows={8}>
          {(page) =>
            page.intents.length === 0 ? (
              <Empty title="No intents match." />
            ) : (
              <>
                <DataTable
                  caption="Intents"
                  columns={COLUMNS}
                  rows={page.intents}
                  getKey={({ id }) => id}
                  card={(row) => <OperationCard row={row} />}
                />
                <Pager page={page} shown={page.intents.length} what="intents" />
              </>
            )
          }
        </Loaded>
      </section>
    </Page>
  );
}
