import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Loader2 } from 'lucide-react';
import type { RequestResponse } from '@causeway/protocol/admin';
import { Badge, Countdown, Facts, Failure, Hash, Loading, Notice } from '@causeway/ui/components';
import type { Label } from '@causeway/ui/format';
import { requestQuery } from '../api/queries.js';
import { stateFacts, type Fact } from './snapshot-facts.js';
import { bindingFacts, isAsShown, wordFacts, type ShownRequest } from './signed-message.js';

/** The states of a request. Only `DONE` says that something happened; whether it helped is the state of its subject. */
export const REQUEST_LABELS: Readonly<Record<RequestResponse['state'], Label>> = {
  AWAITING_APPROVAL: { word: 'Needs approval', tone: 'warn' },
  QUEUED: { word: 'Queued', tone: 'info' },
  DONE: { word: 'Done', tone: 'neutral' },
  REFUSED: { word: 'Refused', tone: 'bad' },
  EXPIRED: { word: 'Expired', tone: 'neutral' },
};

const HEX = /^0x[0-9a-fA-F]{16,}$/;

/** Labels and values below each other: hashes with a button that copies them, everything else as text. */
function TextFacts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <Facts
      facts={facts.map(({ label, text }) => [
        label,
        HEX.test(text) ? <Hash key={label} hex={text} label={label} isWhole /> : text,
      ])}
    />
  );
}

/** The state that a request is decided on. */
export function RequestState({ request: { decidedOn, chainIds } }: { readonly request: ShownRequest }) {
  return <TextFacts facts={stateFacts(decidedOn, chainIds)} />;
}

/** The fields of a request in the order in which the wallet shows them; those that bind the words are folded. */
export function RequestFacts({ request }: { readonly request: ShownRequest }) {
  return (
    <>
      <TextFacts facts={wordFacts(request)} />
      <details className="mt-4">
        <summary className="cursor-pointer text-xs text-muted">Fields that bind</summary>
        <div className="mt-2">
          <TextFacts facts={bindingFacts(request)} />
        </div>
      </details>
      {isAsShown(request) ? null : (
        <div className="mt-4">
          <Notice tone="bad" title="Do not sign. The wallet would show something else than this page.">
            The message of the server does not follow from the request and its state. Tell whoever runs the API.
          </Notice>
        </div>
      )}
    </>
  );
}

const RUNNING: Readonly<Record<'AWAITING_APPROVAL' | 'QUEUED', string>> = {
  AWAITING_APPROVAL: 'Nothing has happened yet: another person must approve it.',
  QUEUED: 'Nothing has happened yet: the relayer that holds the lease carries it out next.',
};

/** How far a request is, in words. Only `DONE` is shown as done. */
export function RequestProgress({ request }: { readonly request: RequestResponse }) {
  const { state, outcome, approvals, approvalsNeeded, validUntil } = request;
  switch (state) {
    case 'DONE':
      // Neutral: a retry is done although its operation may still be delayed. The outcome says what happened.
      return <Notice tone="neutral" title={outcome === null ? 'Done.' : `Done: ${outcome}`} />;
    case 'REFUSED':
      return (
        <Notice tone="bad" title="The relayer refused it. Nothing changed.">
          {outcome}
        </Notice>
      );
    case 'EXPIRED':
      return (
        <Notice tone="warn" title="It expired. Nothing changed.">
          {outcome ?? 'Its approvals did not come within 15 minutes. Ask again.'}
        </Notice>
      );
    case 'AWAITING_APPROVAL':
    case 'QUEUED':
      return (
        <Notice tone="info" title={RUNNING[state]}>
          <span className="flex flex-wrap items-center gap-x-3">
            <Loader2 aria-hidden className="size-4 animate-spin" />
            {approvalsNeeded > 0 ? (
              <span>
                {approvals.length} of {approvalsNeeded} signatures
              </span>
            ) : null}
            <span>
              expires in <Countdown until={validUntil * 1_000} />
            </span>
          </span>
        </Notice>
      );
  }
}

/** Follows a request live until the relayer has ended it. */
export function FollowedRequest({ id }: { readonly id: string }) {
  const query = useQuery(requestQuery(id));
  if (query.data === undefined && query.isError)
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading rows={3} />;
  return (
    <div className="flex flex-col gap-4" aria-live="polite">
      <p>
        <Badge label={REQUEST_LABELS[query.data.state]} />
      </p>
      <RequestProgress request={query.data} />
      <Link to="/approvals/$id" params={{ id }} className="font-medium text-accent hover:underline">
        Open the request
      </Link>
    </div>
  );
}
