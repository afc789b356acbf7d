import { useStatus } from '@causeway/react';
import { getOperation, isTerminal } from '@causeway/sdk';
import { Empty, Failure, Loading, Notice } from '@causeway/ui/components';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Page } from '../components/page.js';
import { useBridge } from '../settings/context.js';
import { TRANSFER } from '../words/transfer.js';
import { findIdentifier, isHash } from './kinds.js';
import { TransferView } from './transfer-view.js';

// Few need it, so it is loaded when needed.
const UnknownTransfer = lazy(async () => import('./unknown-transfer.js'));

/** Milliseconds between looks for a transfer that the bridge does not know. */
const INTERVAL = 5_000;

/** One transfer, live: by its depositId, withdrawId, intentId or origin transaction. */
export function TransferPage() {
  const { id } = useParams({ from: '/transfer/$id' });
  return (
    <Page title={TRANSFER.title} isWide>
      {isHash(id) ? (
        <FollowedTransfer key={id} id={id.toLowerCase() as `0x${string}`} />
      ) : (
        <Empty title={TRANSFER.malformed}>
          <Link to="/find" className="font-medium text-accent underline">
            {TRANSFER.find}
          </Link>
        </Empty>
      )}
    </Page>
  );
}

function FollowedTransfer({ id }: { readonly id: `0x${string}` }) {
  const bridge = useBridge();
  // The status must be asked by the right name of the id, which the operation has.
  const found = useQuery({
    queryKey: ['transfer', id],
    queryFn: async ({ signal }) => getOperation(bridge, id, { signal }),
    refetchInterval: ({ state }) => (state.data === null ? INTERVAL : false),
    staleTime: Infinity,
  });
  const { data: first } = found;
  const isFollowed = first !== undefined && !(first !== null && isTerminal(first.status));
  const status = useStatus(isFollowed ? (first === null ? { originTxHash: id } : findIdentifier(first)) : null);
  const operation = status.data ?? first;
  const error = found.error ?? status.error;
  if (operation === undefined && error !== null) return <Failure error={error} onRetry={() => void found.refetch()} />;
  if (operation === undefined) return <Loading rows={8} />;
  if (operation === null)
    return (
      <Suspense fallback={<Loading rows={2} />}>
        <UnknownTransfer id={id} />
      </Suspense>
    );
  const isStale = status.error !== null || (status.isFetching && status.failureReason !== null);
  return (
    <>
      {isStale ? (
        <Notice tone="warn" title={TRANSFER.stale}>
          {TRANSFER.staleText}
        </Notice>
      ) : null}
      <TransferView operation={operation} />
    </>
  );
}
