import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Empty, Loaded, Pager } from '@causeway/ui/components';
import { apiUrl } from '../api/client.js';
import { auditQuery } from '../api/queries.js';
import { DownloadLink } from '../components/page-actions.js';
import { Page } from '../components/page.js';
import { AuditFilterBar } from './audit-filters.js';
import { AuditEntry } from './audit-entry.js';

/** All actions of members, newest first. Each row contains the hash of the previous row. */
export function AuditPage() {
  const search = useSearch({ from: '/shell/audit' });
  const query = useQuery(auditQuery(search));
  const { cursor: _cursor, ...filters } = search;
  return (
    <Page
      title="Audit log"
      subtitle={
        <>
          Append-only: each row contains the hash of the previous one. <code>relayer audit verify</code> checks the
          chain.
        </>
      }
      actions={
        <DownloadLink url={apiUrl('/audit.csv', filters)} action="Export this part of the audit log as CSV">
          CSV of these filters
        </DownloadLink>
      }
    >
      <section aria-label="Rows of the audit log" className="rounded-xl border border-line bg-surface shadow-card">
        <AuditFilterBar filters={filters} />
        <Loaded query={query}>
          {(page) =>
            page.rows.length === 0 ? (
              <Empty title="No rows match." />
            ) : (
              <>
                <ol className="divide-y divide-line">
                  {page.rows.map((row) => (
                    <AuditEntry key={row.sequence} row={row} />
                  ))}
                </ol>
                <Pager page={page} shown={page.rows.length} what="rows" />
              </>
            )
          }
        </Loaded>
      </section>
    </Page>
  );
}
