import { useState } from 'react';
import { amountWords, type AdminRefund } from '@causeway/protocol/admin';
import { Button } from '@causeway/ui/components';
import { FieldsDialog } from '../requests/fields-dialog.js';
import { RequestButton } from '../requests/request-button.js';
import { useMay } from '../session/session.js';

/** The decisions that an operator can make about a refund now. */
export function RefundActions({ refund }: { readonly refund: AdminRefund }) {
  const { id, payer, amount, status } = refund;
  const isAllowed = useMay('operator');
  if (!isAllowed || (status !== 'REQUESTED' && status !== 'APPROVED')) return null;
  return (
    <>
      <RequestButton
        terms={{ kind: 'REFUND_APPROVE', refundId: id, recipient: payer, amount }}
        words="Approve to the payer"
        isPrimary
      />
      <OtherRecipient refund={refund} />
      <RequestButton terms={{ kind: 'REFUND_REFUSE', refundId: id }} words="Refuse" />
    </>
  );
}

/** Approves a refund to an address other than the payer's, which always takes two members. */
function OtherRecipient({ refund: { id, asset, amount } }: { readonly refund: AdminRefund }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>Approve to another address</Button>
      {isOpen ? (
        <FieldsDialog
          kind="REFUND_APPROVE"
          title="Approve to another address"
          known={{ refundId: id, amount }}
          hint="Two members must sign for any address other than the payer's."
          onClose={() => setOpen(false)}
        >
          <p>{amountWords(asset, amount)}, on the chain where it arrived. For ETH on Ethereum, gas is deducted.</p>
        </FieldsDialog>
      ) : null}
    </>
  );
}
