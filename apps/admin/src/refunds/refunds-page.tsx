import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { DataTable, Empty, Loaded, Pager, Select } from '@causeway/ui/components';
import { REFUND_LABELS } from '@causeway/ui/format';
import { refundsQuery } from '../api/queries.js';
import { Page } from '../components/page.js';
import { REFUND_COLUMNS, RefundCard } from './refund-columns.js';

const STATUSES = [
  { value: '', words: 'Any status' },
  ...Object.entries(REFUND_LABELS).map(([value, { word }]) => ({ value, words: word })),
];

/** Transfers to the relayer wallet to pay back, newest first. */
export function RefundsPage() {
  const search = useSearch({ from: '/shell/refunds' });
  const navigate = useNavigate();
  const query = useQuery(refundsQuery(search));
  return (
    <Page title="Refunds" subtitle="Transfers to the relayer wallet that were not bridged, newest first.">
      <section aria-label="List of refunds" className="rounded-xl border border-line bg-surface shadow-card">
        <div className="w-56 max-w-full p-4">
          <Select
            label="Status"
            value={search.status ?? ''}
            choices={STATUSES}
            onChange={(status) => void navigate({ to: '/refunds', search: status === '' ? {} : { status } })}
          />
        </div>
        <Loaded query={query}>
          {(page) =>
            page.refunds.length === 0 ? (
              <Empty title="No refunds match." />
            ) : (
              <>
                <DataTable
                  caption="Refunds"
                  columns={REFUND_COLUMNS}
                  rows={page.refunds}
                  getKey={({ id }) => id}
                  card={(refund) => <RefundCard refund={refund} />}
                />
                <Pager page={page} shown={page.refunds.length} what="refunds" />
              </>
            )
          }
        </Loaded>
      </section>
    </Page>
  );
}
