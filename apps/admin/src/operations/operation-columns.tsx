import { Link } from '@tanstack/react-router';
import type { AdminOperationRow } from '@causeway/protocol/admin';
import { Badge, CopyButton, Hash, Time, type Column } from '@causeway/ui/components';
import { DELAY_WORDS, DIRECTION_WORDS, groupDigits, KIND_WORDS, shorten, STATUS_LABELS } from '@causeway/ui/format';

/** The status of a row; below it the delay, or the confirmations while it is confirming. */
export function RowStatus({ row }: { readonly row: AdminOperationRow }) {
  const { status, delayedReason, originConfirmations, requiredConfirmations } = row;
  return (
    <span className="inline-flex flex-col items-start gap-0.5 max-md:items-end">
      <Badge label={STATUS_LABELS[status]} />
      {status === 'DELAYED' && delayedReason !== null ? (
        <span className="text-xs text-muted">{DELAY_WORDS[delayedReason]}</span>
      ) : null}
      {status === 'CONFIRMING' ? (
        <span className="text-xs text-muted tabular-nums">
          {Math.min(originConfirmations, requiredConfirmations)} of {requiredConfirmations}
        </span>
      ) : null}
    </span>
  );
}

/** A link to an operation, with its shortened id. */
export function OperationLink({ id }: { readonly id: string }) {
  return (
    <span className="inline-flex items-center gap-1 font-mono text-[0.8125rem] whitespace-nowrap">
      <Link to="/operations/$id" params={{ id }} title={id} className="font-medium text-accent hover:underline">
        {shorten(id)}
      </Link>
      <CopyButton text={id} label="id" />
    </span>
  );
}

/** Amount and asset of a row. */
export function RowAmount({ row }: { readonly row: AdminOperationRow }) {
  return (
    <span title={`${row.amount} atomic units`} className="whitespace-nowrap tabular-nums">
      {groupDigits(row.amountFormatted)} <span className="text-muted">{row.asset}</span>
    </span>
  );
}

/** The columns of a list of operations: time, amount, direction and status first; the id last. */
export const OPERATION_COLUMNS: Column<AdminOperationRow>[] = [
  { id: 'created', header: 'Time', cell: ({ row }) => <Time at={row.original.createdAt} isShort /> },
  { id: 'amount', header: 'Amount', isNumber: true, cell: ({ row }) => <RowAmount row={row.original} /> },
  {
    id: 'direction',
    header: 'Direction',
    cell: ({ row }) => <span className="whitespace-nowrap">{DIRECTION_WORDS[row.original.direction]}</span>,
  },
  { id: 'status', header: 'Status', cell: ({ row }) => <RowStatus row={row.original} /> },
  { id: 'sender', header: 'Sender', cell: ({ row }) => <Hash hex={row.original.sender} label="sender" /> },
  { id: 'kind', header: 'Kind', cell: ({ row }) => KIND_WORDS[row.original.kind] ?? row.original.kind },
  { id: 'id', header: 'Operation', cell: ({ row }) => <OperationLink id={row.original.id} /> },
];

/** A row on a phone. */
export function OperationCard({ row }: { readonly row: AdminOperationRow }) {
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex items-center justify-between gap-3">
        <span className="font-medium">
          <RowAmount row={row} />
        </span>
        <RowStatus row={row} />
      </div>
      <div className="flex items-center justify-between gap-3 text-xs text-muted">
        <span>
          {KIND_WORDS[row.kind] ?? row.kind}, {DIRECTION_WORDS[row.direction]}
        </span>
        <Time at={row.createdAt} isShort />
      </div>
      <OperationLink id={row.id} />
    </div>
  );
}
