import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getAction, type RequestResponse } from '@causeway/protocol/admin';
import { Button, Countdown, describeError, Dialog, DialogActions, Notice } from '@causeway/ui/components';
import { StallHint, useChosenWallet, WalletChoice, type Wallet } from '@causeway/ui/wallet';
import { approveRequest } from '../api/mutations.js';
import { NoWallet } from '../session/no-wallet.js';
import { FollowedRequest, RequestFacts, RequestState } from './request-parts.js';
import { isAsShown } from './signed-message.js';
import { useSignature } from './use-signature.js';

/** Signs another member's request, and follows it. */
export function ApproveDialog({
  request,
  onClose,
}: {
  readonly request: RequestResponse;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const [wallet, choose] = useChosenWallet();
  const { sign, stopWaiting } = useSignature();
  const approve = useMutation(approveRequest);
  const { id, typedData, validUntil } = request;
  const submit = useMutation({
    mutationFn: async ({ provider }: Wallet) => {
      const { signature } = await sign.mutateAsync({ request, provider });
      await approve.mutateAsync({ id, signature });
    },
    onError: () => void client.invalidateQueries({ queryKey: ['request', id] }),
  });
  if (typedData === null) return null;

  return (
    <Dialog title={`Approve: ${getAction(request.terms).title(request.terms)}`} isOpen onClose={onClose}>
      {submit.isSuccess ? (
        <FollowedRequest id={id} />
      ) : (
        <div className="flex flex-col gap-5">
          <p className="text-muted">
            Your wallet shows exactly these fields (EIP-712). Compare them in the wallet. Time left:{' '}
            <Countdown until={validUntil * 1_000} />.
          </p>
          <div className="rounded-lg bg-sunken p-3">
            <RequestFacts request={request} />
          </div>
          <details>
            <summary className="cursor-pointer text-xs text-muted">State at the request</summary>
            <div className="mt-2">
              <RequestState request={request} />
            </div>
          </details>
          <WalletChoice wallet={wallet} onChoose={choose}>
            <NoWallet />
          </WalletChoice>
          {submit.isPending ? (
            <Notice tone="info" title="Waiting for the wallet">
              Check the values in the wallet, then sign.
              <StallHint />
            </Notice>
          ) : null}
          {submit.error === null ? null : (
            <Notice tone="bad" title="The request was not approved.">
              {describeError(submit.error)}
            </Notice>
          )}
        </div>
      )}
      <DialogActions>
        {submit.isPending ? (
          <Button onPress={stopWaiting}>Stop waiting</Button>
        ) : (
          <Button onPress={onClose}>{submit.isSuccess ? 'Close' : 'Cancel'}</Button>
        )}
        {submit.isSuccess ? null : (
          <Button
            look="primary"
            isBusy={submit.isPending}
            isDisabled={wallet === null || !isAsShown(request)}
            onPress={() => (wallet === null ? undefined : submit.mutate(wallet))}
          >
            Sign the approval
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
