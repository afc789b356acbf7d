import { Link } from '@tanstack/react-router';
import type { AdminRefund } from '@causeway/protocol/admin';
import { Amount, Badge, Hash, MaybeHash, Time, type Column } from '@causeway/ui/components';
import { nameWords, REFUND_LABELS, shorten } from '@causeway/ui/format';

function RefundLink({ id }: { readonly id: string }) {
  return (
    <Hash hex={id} label="id">
      <Link to="/refunds/$id" params={{ id }} className="font-medium text-accent hover:underline">
        {shorten(id)}
      </Link>
    </Hash>
  );
}

function Reason({ refund: { failureReason } }: { readonly refund: AdminRefund }) {
  return failureReason === null ? <span className="text-muted">none</span> : <>{nameWords(failureReason)}</>;
}

/** The columns of the list of refunds. */
export const REFUND_COLUMNS: Column<AdminRefund>[] = [
  { id: 'created', header: 'Time', cell: ({ row }) => <Time at={row.original.createdAt} isShort /> },
  {
    id: 'amount',
    header: 'Amount',
    isNumber: true,
    cell: ({ row }) => <Amount asset={row.original.asset} atomic={row.original.amount} />,
  },
  { id: 'status', header: 'Status', cell: ({ row }) => <Badge label={REFUND_LABELS[row.original.status]} /> },
  { id: 'reason', header: 'Why', cell: ({ row }) => <Reason refund={row.original} /> },
  { id: 'payer', header: 'Payer', cell: ({ row }) => <Hash hex={row.original.payer} label="payer" /> },
  {
    id: 'decisions',
    header: 'Decisions',
    isNumber: true,
    cell: ({ row }) => row.original.decisions.length,
  },
  { id: 'tx', header: 'Payment', cell: ({ row }) => <MaybeHash hex={row.original.txHash} label="payment" /> },
  { id: 'id', header: 'Refund', cell: ({ row }) => <RefundLink id={row.original.id} /> },
];

/** A refund on a phone. */
export function RefundCard({ refund }: { readonly refund: AdminRefund }) {
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-center justify-between gap-3">
        <span className="font-medium">
          <Amount asset={refund.asset} atomic={refund.amount} />
        </span>
        <Badge label={REFUND_LABELS[refund.status]} />
      </div>
      <div className="flex items-center justify-between gap-3 text-xs text-muted">
        <Reason refund={refund} />
        <Time at={refund.createdAt} isShort />
      </div>
      <RefundLink id={refund.id} />
    </div>
  );
}
