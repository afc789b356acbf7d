import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { AdminOperationsResponse } from '@causeway/protocol/admin';
import { DataTable, Empty, Loaded, Pager } from '@causeway/ui/components';
import { apiUrl } from '../api/client.js';
import { operationsQuery } from '../api/queries.js';
import { DownloadLink } from '../components/page-actions.js';
import { Page } from '../components/page.js';
import { OPERATION_COLUMNS, OperationCard } from './operation-columns.js';
import { OperationFilterBar } from './operation-filters.js';

/** All operations, newest first: search, filters and the cursor are in the URL. */
export function OperationsPage() {
  const search = useSearch({ from: '/shell/operations' });
  const query = useQuery(operationsQuery(search));
  const { cursor: _cursor, limit: _limit, ...filters } = search;
  return (
    <Page
      title="Operations"
      subtitle="Deposits, burns, withdrawals and transfers, newest first."
      actions={
        <DownloadLink url={apiUrl('/operations.csv', filters)} action="Export these operations as CSV">
          CSV of these filters
        </DownloadLink>
      }
    >
      <section aria-label="List of operations" className="rounded-xl border border-line bg-surface shadow-card">
        <OperationFilterBar filters={filters} />
        <Loaded query={query} rows={10}>
          {(page) =>
            page.operations.length === 0 ? (
              <NoOperation page={page} />
            ) : (
              <div aria-busy={query.isPlaceholderData} className={query.isPlaceholderData ? 'opacity-60' : ''}>
                <DataTable
                  caption="Operations"
                  columns={OPERATION_COLUMNS}
                  rows={page.operations}
                  getKey={({ id }) => id}
                  card={(row) => <OperationCard row={row} />}
                />
                <Pager page={page} shown={page.operations.length} what="operations" />
              </div>
            )
          }
        </Loaded>
      </section>
    </Page>
  );
}

/** A filtered search by address covers only a part of the history per page, so an empty page may not be the last. */
function NoOperation({ page }: { readonly page: AdminOperationsResponse }) {
  if (page.nextCursor === null)
    return <Empty title="No operations match.">Change the filters, or check the hash.</Empty>;
  return (
    <>
      <Empty title="No operations match in this part of the history.">Continue with older operations.</Empty>
      <Pager page={page} shown={0} what="operations" />
    </>
  );
}
