import { useState } from 'react';
import { getAction, type RequestTerms } from '@causeway/protocol/admin';
import {
  Button,
  Countdown,
  describeError,
  Dialog,
  DialogActions,
  Notice,
  SmallTable,
  TextField,
} from '@causeway/ui/components';
import { StallHint, useChosenWallet, WalletChoice } from '@causeway/ui/wallet';
import { NoWallet } from '../session/no-wallet.js';
import { FollowedRequest, RequestFacts, RequestState } from './request-parts.js';
import { isAsShown } from './signed-message.js';
import { useRequestFlow, type Review } from './use-request-flow.js';

/** Length limits of the API for a reason, in characters. */
const REASON_LENGTH = { least: 3, most: 500 } as const;

/** A titled part of the dialog. */
function Part({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-2 text-xs font-medium text-muted">{title}</h3>
      {children}
    </section>
  );
}

/** Makes a request: reason, review, signature, and progress until the relayer ends it. */
export function RequestDialog({ terms, onClose }: { readonly terms: RequestTerms; readonly onClose: () => void }) {
  const flow = useRequestFlow(terms);
  const created = flow.submit.data;
  return (
    <Dialog title={getAction(terms).title(terms)} isOpen onClose={onClose}>
      {created ? (
        <>
          <FollowedRequest id={created.id} />
          <DialogActions>
            <Button onPress={onClose}>Close</Button>
          </DialogActions>
        </>
      ) : flow.review === null ? (
        <ReasonStep flow={flow} onClose={onClose} />
      ) : (
        <ReviewStep review={flow.review} flow={flow} onClose={onClose} />
      )}
    </Dialog>
  );
}

type Flow = ReturnType<typeof useRequestFlow>;

function ReasonStep({ flow: { preview, ask }, onClose }: { readonly flow: Flow; readonly onClose: () => void }) {
  const [reason, setReason] = useState('');
  const [isTried, setTried] = useState(false);
  // The API requires one line, because the reason is part of the signed text.
  const line = reason.trim().replace(/\s+/g, ' ');
  const { length } = line;
  const tooShort = length < REASON_LENGTH.least ? 'Give a reason of at least 3 characters.' : null;
  const problem = length > REASON_LENGTH.most ? 'Shorten the reason to at most 500 characters.' : tooShort;
  return (
    <form
      noValidate
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (problem === null) ask(line);
      }}
    >
      <TextField
        label="Reason"
        value={reason}
        onChange={setReason}
        isLong
        isRequired
        hint="Recorded in the audit log and shown to other approvers. The next step shows the whole request."
        error={isTried ? problem : null}
      />
      {preview.error === null ? null : (
        <Notice tone="bad" title="The request was not made.">
          {describeError(preview.error)}
        </Notice>
      )}
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={preview.isPending}>
          Continue
        </Button>
      </DialogActions>
    </form>
  );
}

function ReviewStep({
  review,
  flow: { submit, isSigning, stopWaiting },
  onClose,
}: {
  readonly review: Review;
  readonly flow: Flow;
  readonly onClose: () => void;
}) {
  const [wallet, choose] = useChosenWallet();
  const { shown, approvalsNeeded, changes } = review;
  const needsWallet = shown.typedData !== null;
  return (
    <div className="flex flex-col gap-5">
      {changes === null ? null : (
        <Notice tone="warn" title="The state has changed. Nothing was submitted; review the new values.">
          {changes.length === 0 ? 'The values below are the same, but newer.' : <Changes changes={changes} />}
        </Notice>
      )}
      <Part
        title={
          needsWallet ? 'Your wallet shows exactly these fields (EIP-712): compare them in the wallet' : 'The request'
        }
      >
        <div className="rounded-lg bg-sunken p-3">
          <RequestFacts request={shown} />
        </div>
      </Part>
      <Part title="State at the request">
        <RequestState request={shown} />
      </Part>
      <p className="text-muted">
        {approvalsNeeded === 0 ? 'No signature is needed.' : `${approvalsNeeded} different members must sign it.`} Time
        left: <Countdown until={shown.validUntil * 1_000} />.
      </p>
      {needsWallet ? (
        <WalletChoice wallet={wallet} onChoose={choose}>
          <NoWallet />
        </WalletChoice>
      ) : null}
      {isSigning ? (
        <Notice tone="info" title="Waiting for the wallet">
          Check the values in the wallet, then sign.
          <StallHint />
        </Notice>
      ) : null}
      {submit.error === null ? null : (
        <Notice tone="bad" title="The request was not submitted.">
          {describeError(submit.error)}
        </Notice>
      )}
      <DialogActions>
        {isSigning ? <Button onPress={stopWaiting}>Stop waiting</Button> : <Button onPress={onClose}>Cancel</Button>}
        <Button
          look="primary"
          isBusy={submit.isPending}
          isDisabled={needsWallet && (wallet === null || !isAsShown(shown))}
          onPress={() => submit.mutate({ review, provider: wallet?.provider ?? null })}
        >
          {needsWallet ? 'Sign and submit' : 'Submit request'}
        </Button>
      </DialogActions>
    </div>
  );
}

function Changes({ changes }: { readonly changes: NonNullable<Review['changes']> }) {
  return (
    <SmallTable
      caption="Values that changed"
      columns={['Value', 'Before', 'Now']}
      rows={changes.map(({ label, before, after }) => ({
        key: label,
        cells: [label, before, <strong key="after">{after}</strong>],
      }))}
    />
  );
}
