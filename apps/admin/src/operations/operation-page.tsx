import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { AdminOperationResponse } from '@causeway/protocol/admin';
import {
  Amount,
  Badge,
  Card,
  Confirmations,
  Facts,
  Hash,
  Loaded,
  MaybeHash,
  Notice,
  Time,
} from '@causeway/ui/components';
import { DELAY_WORDS, DIRECTION_WORDS, groupDigits, KIND_WORDS, STATUS_LABELS } from '@causeway/ui/format';
import { operationQuery } from '../api/queries.js';
import { AttestersCard } from '../components/attesters-card.js';
import { DocsLink } from '../components/docs-link.js';
import { Page } from '../components/page.js';
import { CallsCard } from './calls-card.js';
import { OperationActions } from './operation-actions.js';
import { OperationTimeline } from './timeline.js';

/** All data of one operation, live. */
export function OperationPage() {
  const { id } = useParams({ from: '/shell/operations/$id' });
  const query = useQuery(operationQuery(id));
  return (
    <Page title="Operation" subtitle={<Hash hex={id} label="id" isWhole />}>
      <Loaded query={query} rows={12}>
        {(data) => <Operation data={data} />}
      </Loaded>
    </Page>
  );
}

function Operation({ data }: { readonly data: AdminOperationResponse }) {
  const { operation, kind, timeline, calls, attesters } = data;
  const { direction, originChainId, destinationChainId } = operation;
  const ethereumChainId = direction === 'ETHEREUM_TO_PARTNER' ? originChainId : destinationChainId;
  return (
    <>
      <section
        aria-label="Summary"
        className="flex flex-wrap items-center justify-between gap-4 rounded-xl border border-line bg-surface p-5 shadow-card"
      >
        <div>
          <p className="flex flex-wrap items-center gap-3 text-2xl font-semibold tracking-tight tabular-nums">
            {groupDigits(operation.amountFormatted)} {operation.asset}
            <Badge label={STATUS_LABELS[operation.status]} />
          </p>
          <p className="mt-1 text-muted">
            {KIND_WORDS[kind] ?? kind}, {DIRECTION_WORDS[direction]}
          </p>
        </div>
        <OperationActions data={data} />
      </section>
      <Waiting data={data} />
      <AttestersCard answers={attesters} />
      <div className="grid items-start gap-5 xl:grid-cols-[1fr_26rem]">
        <div className="flex min-w-0 flex-col gap-5">
          <Card title="Timeline">
            <OperationTimeline entries={timeline} />
          </Card>
          <CallsCard calls={calls} ethereumChainId={ethereumChainId} />
        </div>
        <div className="flex min-w-0 flex-col gap-5 max-xl:order-first">
          <Card title="Details">
            <Details data={data} />
          </Card>
        </div>
      </div>
    </>
  );
}

/** Why the operation waits and until when; a progress bar while it is confirming. */
function Waiting({ data: { operation, waiting, retryEffect, docs } }: { readonly data: AdminOperationResponse }) {
  const { status, originConfirmations, requiredConfirmations, delayedReason, failureMessage } = operation;
  return (
    <>
      {failureMessage === null ? null : (
        <Notice tone="bad" title="This operation failed.">
          {failureMessage}
        </Notice>
      )}
      {waiting === null ? null : (
        <Notice
          tone={status === 'DELAYED' ? 'warn' : 'info'}
          title={status === 'DELAYED' && delayedReason !== null ? DELAY_WORDS[delayedReason] : 'Waiting'}
        >
          {waiting.sentence}
          {waiting.until === null ? null : (
            <>
              {' '}
              Until <Time at={waiting.until} />.
            </>
          )}
          {retryEffect === null ? null : <p className="mt-1">If you retry: {retryEffect}</p>}
        </Notice>
      )}
      {docs === null ? null : <DocsLink name="Documentation" link={docs} />}
      {status === 'CONFIRMING' ? (
        <Confirmations counted={originConfirmations} required={requiredConfirmations} />
      ) : null}
    </>
  );
}

/** The delivered amount, the expected amount, or "nothing" for an ended operation. */
function deliveryFact({ operation, deliveredAmount }: AdminOperationResponse): readonly [string, React.ReactNode] {
  const { asset, status, outputAmount } = operation;
  if (deliveredAmount !== null) return ['Delivered', <Amount key="out" asset={asset} atomic={deliveredAmount} />];
  if (status === 'FAILED' || status === 'EXPIRED') return ['Delivered', <span className="text-muted">nothing</span>];
  return ['Will deliver', <Amount key="out" asset={asset} atomic={outputAmount} />];
}

function Details({ data }: { readonly data: AdminOperationResponse }) {
  const { operation } = data;
  const { asset, fee, settlement, refundId, otherOperationIds, holdUntil, estimatedCompletionTime } = operation;
  const optional = (value: string | null, name: string): readonly (readonly [string, React.ReactNode])[] =>
    value === null ? [] : [[name, <Hash key={name} hex={value} label={name} />]];
  return (
    <Facts
      facts={[
        ['Paid', <Amount key="paid" asset={asset} atomic={operation.amount} />],
        [
          'Fee',
          fee === null ? (
            <span className="text-muted">none</span>
          ) : (
            <span key="fee">
              <Amount asset={asset} atomic={fee.amount} /> <span className="text-muted">({fee.bps} bps)</span>
            </span>
          ),
        ],
        deliveryFact(data),
        ['Sender', <Hash key="sender" hex={operation.sender} label="sender" />],
        ['Recipient', <Hash key="recipient" hex={operation.recipient} label="recipient" />],
        [
          `Origin transaction (chain ${operation.originChainId})`,
          <MaybeHash key="origin" hex={operation.originTxHash} label="origin transaction" />,
        ],
        [
          `Destination transaction (chain ${operation.destinationChainId})`,
          <MaybeHash key="destination" hex={operation.destinationTxHash} label="destination transaction" />,
        ],
        ...optional(operation.depositId, 'Deposit id'),
        ...optional(operation.withdrawId, 'Withdraw id'),
        ...optional(operation.intentId, 'Intent id'),
        ['Created', <Time key="created" at={operation.createdAt} />],
        ['Changed', <Time key="changed" at={operation.updatedAt} />],
        ...(holdUntil === null ? [] : [['Hold until', <Time key="hold" at={holdUntil} />] as const]),
        ...(estimatedCompletionTime === null
          ? []
          : [['Expected', <Time key="expected" at={estimatedCompletionTime} />] as const]),
        ...(settlement === null
          ? []
          : [
              ['Settled', <Time key="settled" at={settlement.settledAt} />] as const,
              [
                'Settlement',
                settlement.credited ? 'Held by the contract; the recipient can claim it' : 'Received by the recipient',
              ] as const,
            ]),
        ...(refundId === null
          ? []
          : [
              [
                'Refund',
                <Link
                  key="refund"
                  to="/refunds/$id"
                  params={{ id: refundId }}
                  className="font-medium text-accent hover:underline"
                >
                  Open its refund
                </Link>,
              ] as const,
            ]),
        ...otherOperationIds.map(
          (other, index) =>
            [
              index === 0 ? 'Same transaction' : `Same transaction (${index + 1})`,
              <Hash key={other} hex={other} label="id">
                <Link to="/operations/$id" params={{ id: other }} className="text-accent hover:underline">
                  {other.slice(0, 10)}…
                </Link>
              </Hash>,
            ] as const,
        ),
      ]}
    />
  );
}
