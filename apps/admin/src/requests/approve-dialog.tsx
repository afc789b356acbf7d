import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { RequestResponse } from '@causeway/protocol/admin';
import { requestQuery } from '../api/queries.js';
import { Button } from '../components/button.js';
import { Dialog, DialogActions } from '../components/dialog.js';
import { Notice } from '../components/icon.js';
import { sentenceOf } from '../components/states.js';
import { Countdown } from '../components/value.js';
import { requestTitle } from '../format/words.js';
import { useChange, useSession } from '../session/session.js';
import { StallHint } from '../session/stall-hint.js';
import { useChosenWallet, WalletChoice } from '../session/wallets.js';
import { signTypedData } from '../wallet/signing.js';
import { FollowedRequest, RequestFacts, StateFacts } from './request-parts.js';
import { isAsShown } from './signed-message.js';

/** Signs the request of another person, and follows it. */
export function ApproveDialog({
  request,
  onClose,
}: {
  readonly request: RequestResponse;
  readonly onClose: () => void;
}) {
  const change = useChange();
  const client = useQueryClient();
  const { address } = useSession();
  const [wallet, choose] = useChosenWallet();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [isSent, setSent] = useState(false);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const { id, typedData, validUntil } = request;
  if (typedData === null) return null;

  const approve = async () => {
    if (wallet === null) return;
    stop.current = new AbortController();
    setBusy(true);
    setError(null);
    try {
      const signature = await signTypedData(wallet.provider, address, typedData, stop.current.signal);
      const answer = await change<RequestResponse>('POST', `/requests/${id}/approvals`, { signature });
      client.setQueryData(requestQuery(id).queryKey, answer);
      void client.invalidateQueries({ queryKey: ['requests'] });
      setSent(true);
    } catch (caught) {
      setError(caught);
      void client.invalidateQueries({ queryKey: ['request', id] });
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog title={`Approve: ${requestTitle(request.terms)}`} isOpen onClose={onClose}>
      {isSent ? (
        <FollowedRequest id={id} />
      ) : (
        <div className="flex flex-col gap-5">
          <p className="text-muted">
            Your wallet shows exactly these fields (EIP-712). Compare them there. Time left:{' '}
            <Countdown until={validUntil * 1_000} />.
          </p>
          <div className="rounded-lg bg-sunken p-3">
            <RequestFacts request={request} />
          </div>
          <details>
            <summary className="cursor-pointer text-xs text-muted">State at the request</summary>
            <div className="mt-2">
              <StateFacts state={request.decidedOn} chainIds={request.chainIds} />
            </div>
          </details>
          <WalletChoice wallet={wallet} onChoose={choose} />
          {busy ? (
            <Notice tone="info" title="Waiting for the wallet">
              Check the values there, then sign.
              <StallHint />
            </Notice>
          ) : null}
          {error === null ? null : (
            <Notice tone="bad" title="It is not approved.">
              {sentenceOf(error)}
            </Notice>
          )}
        </div>
      )}
      <DialogActions>
        {busy ? (
          <Button onPress={() => stop.current.abort()}>Stop waiting</Button>
        ) : (
          <Button onPress={onClose}>{isSent ? 'Close' : 'Cancel'}</Button>
        )}
        {isSent ? null : (
          <Button
            look="primary"
            isBusy={busy}
            isDisabled={wallet === null || !isAsShown(request)}
            onPress={() => void approve()}
          >
            Sign the approval
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
