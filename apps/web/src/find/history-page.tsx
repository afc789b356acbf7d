import { useHistory } from '@causeway/react';
import { Empty, Hash } from '@causeway/ui/components';
import { Link, useParams } from '@tanstack/react-router';
import { Page } from '../components/page.js';
import { FIND } from '../words/find.js';
import { parseEntry } from './entry.js';
import { TransferList } from './transfer-list.js';

/** The transfers of any address, without a wallet. */
export function HistoryPage() {
  const { address } = useParams({ from: '/history/$address' });
  const entry = parseEntry(address);
  return (
    <Page title={FIND.history.title} isWide>
      {entry.kind === 'address' ? (
        <History address={entry.address} />
      ) : (
        <Empty title={FIND.history.malformed}>
          <Link to="/find" className="font-medium text-accent underline">
            {FIND.history.find}
          </Link>
        </Empty>
      )}
    </Page>
  );
}

function History({ address }: { readonly address: string }) {
  const query = useHistory({ address, limit: 20 });
  return (
    <>
      <Hash hex={address} label="address" isWhole />
      <TransferList title={FIND.history.list} query={query} none={FIND.history.none} />
    </>
  );
}
