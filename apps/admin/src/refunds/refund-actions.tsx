import { useState } from 'react';
import { amountWords, type AdminRefund } from '@causeway/protocol/admin';
import { Button } from '../components/button.js';
import { Dialog, DialogActions } from '../components/dialog.js';
import { TextField } from '../components/fields.js';
import { RequestButton, useRequestDialog } from '../requests/request-button.js';
import { useMay } from '../session/session.js';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** What operators can decide about a refund now. */
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

/** Approves to another address than the payer: always by two people. */
function OtherRecipient({ refund: { id, asset, amount } }: { readonly refund: AdminRefund }) {
  const [isOpen, setOpen] = useState(false);
  const [recipient, setRecipient] = useState('');
  const ask = useRequestDialog();
  const [isTried, setTried] = useState(false);
  const isAddress = ADDRESS.test(recipient.trim());
  const close = () => {
    setOpen(false);
    setTried(false);
  };
  return (
    <>
      <Button onPress={() => setOpen(true)}>Approve to another address</Button>
      <Dialog title="Approve to another address" isOpen={isOpen} onClose={close}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            setTried(true);
            if (!isAddress) return;
            close();
            ask({ kind: 'REFUND_APPROVE', refundId: id, recipient: recipient.trim() as `0x${string}`, amount });
          }}
        >
          <p className="mb-4">{amountWords(asset, amount)}, less the gas, on the chain where it arrived.</p>
          <TextField
            label="Recipient"
            value={recipient}
            onChange={setRecipient}
            isRequired
            hint="Two people must sign for an address that is not the payer's."
            error={isTried && !isAddress ? 'This must be an address: 0x and 40 hex digits.' : null}
          />
          <DialogActions>
            <Button onPress={close}>Cancel</Button>
            <Button type="submit" look="primary">
              Continue
            </Button>
          </DialogActions>
        </form>
      </Dialog>
    </>
  );
}
