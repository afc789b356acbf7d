import { Link } from '@tanstack/react-router';
import type { AdminOperationResponse } from '@causeway/protocol/admin';
import { buttonClass } from '@causeway/ui/components';
import { RequestButton } from '../requests/request-button.js';

/** The actions that an operator can request now. Decisions about a refund are on the refund's page. */
export function OperationActions({ data: { operation, allowed } }: { readonly data: AdminOperationResponse }) {
  const { id, refundId } = operation;
  const decidesRefund = allowed.includes('REFUND_APPROVE') || allowed.includes('REFUND_REFUSE');
  return (
    <div className="flex flex-wrap gap-2">
      {allowed.includes('RETRY') ? <RequestButton terms={{ kind: 'RETRY', operationId: id }} isPrimary /> : null}
      {allowed.includes('CANCEL') ? <RequestButton terms={{ kind: 'CANCEL', operationId: id }} /> : null}
      {allowed.includes('INTENT_REJECT') ? <RequestButton terms={{ kind: 'INTENT_REJECT', intentId: id }} /> : null}
      {decidesRefund && refundId !== null ? (
        <Link to="/refunds/$id" params={{ id: refundId }} className={buttonClass('primary')}>
          Decide the refund
        </Link>
      ) : null}
    </div>
  );
}
