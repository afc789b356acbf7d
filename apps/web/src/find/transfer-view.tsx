import type { BridgeOperationResponse } from '@causeway/sdk';
import { Badge, buttonClass, Card, Facts, Hash, Time, Timeline } from '@causeway/ui/components';
import { groupDigits, shorten, STATUS_LABELS } from '@causeway/ui/format';
import { Link } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { Account, TransactionHash } from '../components/explorer-link.js';
import { useSettings } from '../settings/context.js';
import { TRANSFER } from '../words/transfer.js';
import { useChainTimes } from './chain-times.js';
import { getKind, getSide } from './kinds.js';
import { listSteps } from './steps.js';
import { TransferNotices } from './transfer-notices.js';

const words = TRANSFER;

/** All that is known of a transfer. */
export function TransferView({ operation }: { readonly operation: BridgeOperationResponse }) {
  const settings = useSettings();
  const { id, asset, status, originTxHash, destinationTxHash, requiredConfirmations } = operation;
  const { originChainId, destinationChainId } = operation;
  const origin = useChainTimes(getSide(settings, originChainId), originTxHash, requiredConfirmations, status);
  const delivery = useChainTimes(getSide(settings, destinationChainId), destinationTxHash, 1, status);
  return (
    <>
      <section
        aria-label={words.title}
        className="flex flex-col gap-4 rounded-xl border border-line bg-surface p-4 shadow-card sm:p-5"
      >
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="flex flex-wrap items-center gap-3 text-2xl font-semibold tracking-tight wrap-anywhere tabular-nums">
            {groupDigits(operation.amountFormatted)} {asset}
            <Badge label={STATUS_LABELS[status]} />
          </p>
          <p className="text-muted">{TRANSFER.kinds[getKind(operation)]}</p>
        </div>
        <p aria-live="polite">{operation.holdUntil === null ? TRANSFER.statuses[status] : TRANSFER.held.status}</p>
        <TransferNotices operation={operation} />
      </section>
      <div className="grid items-start gap-5 md:grid-cols-2">
        <ChainCard
          chainId={originChainId}
          asset={asset}
          label={words.sides.from}
          amount={operation.amountFormatted}
          account={[words.sender, operation.sender]}
          hash={originTxHash}
          block={origin?.block}
        />
        <ChainCard
          chainId={destinationChainId}
          asset={asset}
          label={arrivalLabel(operation)}
          amount={status === 'FAILED' || status === 'EXPIRED' ? null : operation.outputAmountFormatted}
          account={[words.recipient, operation.recipient]}
          hash={destinationTxHash}
          block={delivery?.block}
        />
        <Card title={words.timeline}>
          <Timeline entries={listSteps(operation, origin, delivery)} />
        </Card>
        <Card title={words.details}>
          <Details operation={operation} />
        </Card>
      </div>
      <p className="flex flex-wrap items-center gap-3">
        <a href={`/check.html#${id}`} className={buttonClass('secondary')}>
          <ShieldCheck aria-hidden className="size-4" />
          {words.check}
        </a>
        <span className="text-muted">{words.checkText}</span>
      </p>
      <details className="rounded-xl border border-line bg-surface p-4 shadow-card">
        <summary className="cursor-pointer font-medium">{words.raw}</summary>
        <pre className="mt-3 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
          {JSON.stringify(operation, null, 2)}
        </pre>
      </details>
    </>
  );
}

function arrivalLabel({ status }: BridgeOperationResponse): string {
  if (status === 'COMPLETED') return words.sides.delivered;
  return status === 'FAILED' || status === 'EXPIRED' ? words.sides.nothing : words.sides.to;
}

/** The events of a transfer on one chain. */
function ChainCard({
  chainId,
  asset,
  label,
  amount,
  account: [name, address],
  hash,
  block,
}: {
  readonly chainId: number;
  readonly asset: string;
  readonly label: string;
  /** Null if nothing arrives. */
  readonly amount: string | null;
  readonly account: readonly [name: string, address: string];
  readonly hash: string | null;
  readonly block: string | undefined;
}) {
  const settings = useSettings();
  return (
    <Card title={settings[getSide(settings, chainId)].name}>
      <p className="mb-3 flex flex-wrap items-baseline gap-x-2">
        <span className="text-muted">{label}</span>
        {amount === null ? null : (
          <span className="text-lg font-semibold wrap-anywhere tabular-nums">
            {groupDigits(amount)} {asset}
          </span>
        )}
      </p>
      <Facts
        facts={[
          [name, <Account key="account" chainId={chainId} address={address} />],
          ...(hash === null
            ? []
            : [[words.transaction, <TransactionHash key="tx" chainId={chainId} hash={hash} />] as const]),
          ...(block === undefined ? [] : [[words.block, groupDigits(block)] as const]),
        ]}
      />
    </Card>
  );
}

function Details({ operation }: { readonly operation: BridgeOperationResponse }) {
  const { asset, fee, estimatedCompletionTime, otherOperationIds } = operation;
  const ids = (['depositId', 'withdrawId', 'intentId'] as const).flatMap((name) => {
    const id = operation[name];
    return id === null ? [] : [[words.ids[name], <Hash key={name} hex={id} label={words.ids[name]} />] as const];
  });
  const facts: (readonly [string, ReactNode])[] = [
    [words.fee, fee === null ? words.noFee : `${groupDigits(fee.formatted)} ${asset}`],
    ...ids,
    ...otherOperationIds.map(
      (id, index) =>
        [
          index === 0 ? words.others : `${words.others} (${index + 1})`,
          <Link key={id} to="/transfer/$id" params={{ id }} className="font-mono text-accent underline">
            {shorten(id)}
          </Link>,
        ] as const,
    ),
  ];
  if (estimatedCompletionTime !== null)
    facts.unshift([words.expected, <Time key="expected" at={estimatedCompletionTime} />]);
  return <Facts facts={facts} />;
}
