import { Notice } from '@causeway/ui/components';
import { Navigate } from '@tanstack/react-router';
import { TRANSFER } from '../words/transfer.js';
import { useVerdict, VerdictCard } from './verdict.js';

/** Milliseconds between questions. */
const INTERVAL = 5_000;

/** The verdict on a hash that is not indexed yet. The hash of a transfer's delivery leads to the transfer. */
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
