import { isTerminal, type BridgeOperationResponse } from '@causeway/sdk';
import { buttonClass, Confirmations, Countdown, Loading, Notice, Time, useNow } from '@causeway/ui/components';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { TRANSFER, type Advice } from '../words/transfer.js';

// It loads wallet code, which other transfers do not need.
const CreditClaim = lazy(async () => ({ default: (await import('../move/claim-button.js')).CreditClaim }));

/** Why a transfer waits or failed, until when, and what the user needs to do. */
export function TransferNotices({ operation }: { readonly operation: BridgeOperationResponse }) {
  const { status, holdUntil, delayedReason, stalledReason, unpayableReason, failureReason, refundId, settlement } =
    operation;
  return (
    <>
      {status === 'CONFIRMING' ? (
        <Confirmations counted={operation.originConfirmations} required={operation.requiredConfirmations} />
      ) : null}
      {holdUntil === null ? null : (
        <Notice tone="info" title={TRANSFER.held.why}>
          {TRANSFER.held.left} <Countdown until={Date.parse(holdUntil)} />
          <br />
          {TRANSFER.held.until} <Time at={holdUntil} />
        </Notice>
      )}
      {delayedReason === null ? null : <AdviceNotice tone="warn" of={TRANSFER.delays} reason={delayedReason} />}
      {stalledReason === null ? null : <AdviceNotice tone="warn" of={TRANSFER.stalls} reason={stalledReason} />}
      {unpayableReason === null ? null : <AdviceNotice tone="warn" of={TRANSFER.unpayable} reason={unpayableReason} />}
      <Late operation={operation} />
      {failureReason === null ? null : <AdviceNotice tone="bad" of={TRANSFER.failures} reason={failureReason} />}
      {refundId === null ? null : (
        <Link to="/refund/$id" params={{ id: refundId }} className={`self-start ${buttonClass('primary')}`}>
          {TRANSFER.refund}
        </Link>
      )}
      {settlement?.credited === true ? (
        <Notice tone="warn" title={TRANSFER.credited}>
          <Suspense fallback={<Loading rows={2} />}>
            <CreditClaim operation={operation} />
          </Suspense>
        </Notice>
      ) : null}
    </>
  );
}

/** A reason in words. An API newer than this page can have others, which are shown by their name. */
function AdviceNotice({
  tone,
  of,
  reason,
}: {
  readonly tone: 'warn' | 'bad';
  readonly of: Readonly<Record<string, Advice>>;
  readonly reason: string;
}) {
  const advice = of[reason];
  return (
    <Notice tone={tone} title={advice?.why ?? reason}>
      {advice?.what}
    </Notice>
  );
}

function Late({ operation: { status, quotedCompletionTime } }: { readonly operation: BridgeOperationResponse }) {
  const now = useNow();
  const isLate = quotedCompletionTime !== null && Date.parse(quotedCompletionTime) < now;
  return isLate && !isTerminal(status) ? <p className="text-muted">{TRANSFER.late}</p> : null;
}
