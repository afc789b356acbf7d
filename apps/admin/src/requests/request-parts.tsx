import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Loader2 } from 'lucide-react';
import type { RequestResponse, RequestTerms } from '@causeway/protocol/admin';
import { requestQuery } from '../api/queries.js';
import { Badge, Notice } from '../components/icon.js';
import { Facts } from '../components/page.js';
import { Failure, Loading } from '../components/states.js';
import { Countdown, Hash } from '../components/value.js';
import { fieldWords, REQUEST_LABELS } from '../format/words.js';
import { textOf, type DecidedState } from './decided-state.js';

const HEX = /^0x[0-9a-fA-F]{16,}$/;

/** A value of a request: hashes with a button that copies them, everything else as text. */
function Value({ name, value }: { readonly name: string; readonly value: unknown }) {
  const text = textOf(value);
  return HEX.test(text) ? <Hash hex={text} label={fieldWords(name)} isWhole /> : <>{text}</>;
}

/** Names and values of a state, exactly as they were hashed or will be signed. */
export function StateFacts({ state }: { readonly state: DecidedState }) {
  return (
    <Facts
      facts={Object.entries(state).map(([name, value]) => [
        fieldWords(name),
        <Value key={name} name={name} value={value} />,
      ])}
    />
  );
}

/** The exact terms of a request. */
export function TermsFacts({ terms }: { readonly terms: RequestTerms }) {
  const { kind: _kind, ...rest } = terms;
  return <StateFacts state={rest} />;
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
      return (
        <Notice tone="good" title="Done. The relayer carried it out.">
          {outcome}
        </Notice>
      );
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
