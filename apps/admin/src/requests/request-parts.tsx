import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Loader2 } from 'lucide-react';
import type { RequestResponse } from '@causeway/protocol/admin';
import { Badge, Countdown, Facts, Failure, Hash, Loading, Notice } from '@causeway/ui/components';
import type { Label } from '@causeway/ui/format';
import { requestQuery } from '../api/queries.js';
import { stateFacts, type Fact } from './snapshot-facts.js';
import { bindingFacts, isAsShown, wordFacts, type ShownRequest } from './signed-message.js';

/** Labels of request states. Only `DONE` means an effect; whether it helped shows in the state of the subject. */
export const REQUEST_LABELS: Readonly<Record<RequestResponse['state'], Label>> = {
  AWAITING_APPROVAL: { word: 'Needs approval', tone: 'warn' },
  QUEUED: { word: 'Queued', tone: 'info' },
  DONE: { word: 'Done', tone: 'neutral' },
  REFUSED: { word: 'Refused', tone: 'bad' },
  EXPIRED: { word: 'Expired', tone: 'neutral' },
};

const HEX = /^0x[0-9a-fA-F]{16,}$/;

/** A list of labels and values: hashes with a copy button, other values as text. */
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

/** The state on which a request is decided. */
export function RequestState({ request: { decidedOn, chainIds } }: { readonly request: ShownRequest }) {
  return <TextFacts facts={stateFacts(decidedOn, chainIds)} />;
}

/** The fields of a request in the wallet's order; the fields that bind the words are collapsed. */
export function RequestFacts({ request }: { readonly request: ShownRequest }) {
  return (
    <>
      <TextFacts facts={wordFacts(request)} />
      <details className="mt-4">
        <summary className="cursor-pointer text-xs text-muted">Exact terms</summary>
        <div className="mt-2">
          <TextFacts facts={bindingFacts(request)} />
        </div>
      </details>
      {isAsShown(request) ? null : (
        <div className="mt-4">
          <Notice tone="bad" title="Do not sign. The wallet would show different data than this page.">
            The server's message does not match the request and its state. Tell the operators of the API.
          </Notice>
        </div>
      )}
    </>
  );
}

const RUNNING: Readonly<Record<'AWAITING_APPROVAL' | 'QUEUED', string>> = {
  AWAITING_APPROVAL: 'Nothing has happened yet: another member must approve it.',
  QUEUED: 'Nothing has happened yet: the relayer with the lease carries it out next.',
};

/** The progress of a request in words. Only `DONE` is shown as done. */
export function RequestProgress({ request }: { readonly request: RequestResponse }) {
  const { state, outcome, approvals, approvalsNeeded, validUntil } = request;
  switch (state) {
    case 'DONE':
      // Neutral, because the operation of a completed retry may still be delayed. The outcome says what happened.
      return <Notice tone="neutral" title={outcome === null ? 'Done.' : `Done: ${outcome}`} />;
    case 'REFUSED':
      return (
        <Notice tone="bad" title="The relayer refused the request. Nothing changed.">
          {outcome}
        </Notice>
      );
    case 'EXPIRED':
      return (
        <Notice tone="warn" title="The request expired. Nothing changed.">
          {outcome ?? 'It was not approved within 15 minutes. Make a new request.'}
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

/** Follows a request live until the relayer ends it. */
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
