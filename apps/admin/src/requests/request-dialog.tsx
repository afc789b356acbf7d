import { useState } from 'react';
import type { RequestTerms } from '@causeway/protocol/admin';
import { Button } from '../components/button.js';
import { Dialog, DialogActions } from '../components/dialog.js';
import { TextField } from '../components/fields.js';
import { Notice } from '../components/icon.js';
import { SmallTable } from '../components/page.js';
import { sentenceOf } from '../components/states.js';
import { Countdown } from '../components/value.js';
import { fieldWords, requestTitle } from '../format/words.js';
import { StallHint } from '../session/stall-hint.js';
import { useChosenWallet, WalletChoice } from '../session/wallets.js';
import { FollowedRequest, RequestFacts, StateFacts } from './request-parts.js';
import { isAsShown } from './signed-message.js';
import { useRequestFlow, type RequestStep } from './use-request-flow.js';

/** Characters of a reason that the API asks for. */
const REASON_LENGTH = { least: 3, most: 500 } as const;

/** A part of the dialog with a title. */
function Part({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-2 text-xs font-medium text-muted">{title}</h3>
      {children}
    </section>
  );
}

/** Asks for a request: reason, review, signature, and its progress until the relayer has ended it. */
export function RequestDialog({ terms, onClose }: { readonly terms: RequestTerms; readonly onClose: () => void }) {
  const flow = useRequestFlow(terms);
  const { current } = flow;
  return (
    <Dialog title={requestTitle(terms)} isOpen onClose={onClose}>
      {current.step === 'reason' ? (
        <ReasonStep current={current} onNext={(reason) => void flow.ask(reason)} onClose={onClose} />
      ) : null}
      {current.step === 'review' ? <ReviewStep current={current} flow={flow} onClose={onClose} /> : null}
      {current.step === 'follow' ? (
        <>
          <FollowedRequest id={current.id} />
          <DialogActions>
            <Button onPress={onClose}>Close</Button>
          </DialogActions>
        </>
      ) : null}
    </Dialog>
  );
}

function ReasonStep({
  current,
  onNext,
  onClose,
}: {
  readonly current: Extract<RequestStep, { step: 'reason' }>;
  readonly onNext: (reason: string) => void;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const [isTried, setTried] = useState(false);
  // The API takes one line: it is part of the text that people sign.
  const line = reason.trim().replace(/\s+/g, ' ');
  const { length } = line;
  const tooShort = length < REASON_LENGTH.least ? 'Say why, in at least 3 characters.' : null;
  const problem = length > REASON_LENGTH.most ? 'Say it in at most 500 characters.' : tooShort;
  return (
    <form
      noValidate
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (problem === null) onNext(line);
      }}
    >
      <TextField
        label="Reason"
        value={reason}
        onChange={setReason}
        isLong
        isRequired
        hint="It stands in the audit log, and other approvers read it. The next step shows the whole request."
        error={isTried ? problem : null}
      />
      {current.error === null ? null : (
        <Notice tone="bad" title="Nothing was asked for.">
          {sentenceOf(current.error)}
        </Notice>
      )}
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={current.isBusy}>
          Continue
        </Button>
      </DialogActions>
    </form>
  );
}

function ReviewStep({
  current,
  flow,
  onClose,
}: {
  readonly current: Extract<RequestStep, { step: 'review' }>;
  readonly flow: ReturnType<typeof useRequestFlow>;
  readonly onClose: () => void;
}) {
  const [wallet, choose] = useChosenWallet();
  const { shown, approvalsNeeded, changes, busy, error } = current;
  const needsWallet = shown.typedData !== null;
  return (
    <div className="flex flex-col gap-5">
      {changes === null ? null : (
        <Notice tone="warn" title="The state changed meanwhile. Nothing was done; look again.">
          {changes.length === 0 ? 'The values below are the same, but newer.' : <Changes changes={changes} />}
        </Notice>
      )}
      <Part
        title={needsWallet ? 'Your wallet shows exactly these fields (EIP-712): compare them there' : 'The request'}
      >
        <div className="rounded-lg bg-sunken p-3">
          <RequestFacts request={shown} />
        </div>
      </Part>
      <Part title="State at the request">
        <StateFacts state={shown.decidedOn} chainIds={shown.chainIds} />
      </Part>
      <p className="text-muted">
        {approvalsNeeded === 0 ? 'No signature is needed.' : `${approvalsNeeded} different people must sign it.`} Time
        left: <Countdown until={shown.validUntil * 1_000} />.
      </p>
      {needsWallet ? <WalletChoice wallet={wallet} onChoose={choose} /> : null}
      {busy === 'signing' ? (
        <Notice tone="info" title="Waiting for the wallet">
          Check the values there, then sign.
          <StallHint />
        </Notice>
      ) : null}
      {error === null ? null : (
        <Notice tone="bad" title="Nothing was asked for yet.">
          {sentenceOf(error)}
        </Notice>
      )}
      <DialogActions>
        {busy === 'signing' ? (
          <Button onPress={flow.stopWaiting}>Stop waiting</Button>
        ) : (
          <Button onPress={onClose}>Cancel</Button>
        )}
        <Button
          look="primary"
          isBusy={busy !== null}
          isDisabled={needsWallet && (wallet === null || !isAsShown(shown))}
          onPress={() => void flow.submit(current, wallet?.provider ?? null)}
        >
          {needsWallet ? 'Sign and ask' : 'Ask the relayer'}
        </Button>
      </DialogActions>
    </div>
  );
}

function Changes({ changes }: Pick<Extract<RequestStep, { step: 'review' }>, 'changes'>) {
  return (
    <SmallTable
      caption="Values that changed"
      columns={['Value', 'Before', 'Now']}
      rows={(changes ?? []).map(({ name, before, after }) => ({
        key: name,
        cells: [fieldWords(name), before, <strong key="after">{after}</strong>],
      }))}
    />
  );
}
