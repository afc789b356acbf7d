import { Notice } from '@causeway/ui/components';
import { Navigate } from '@tanstack/react-router';
import { TRANSFER } from '../words/transfer.js';
import { useVerdict, VerdictCard } from './verdict.js';

/** Milliseconds between questions. */
const INTERVAL = 5_000;

/** What a hash is meanwhile. A hash of another transaction of a transfer leads to that transfer. */
export default function UnknownTransfer({ id }: { readonly id: `0x${string}` }) {
  const { data } = useVerdict(id, INTERVAL);
  const [other] = data?.operationIds ?? [];
  if (other !== undefined && other !== id) return <Navigate to="/transfer/$id" params={{ id: other }} replace />;
  return (
    <>
      <Notice tone="info" title={TRANSFER.unknown}>
        {TRANSFER.unknownText}
      </Notice>
      {data === undefined ? null : <VerdictCard verdict={data} />}
    </>
  );
}
