import { useStatus, type RecordedTransfer } from '@causeway/react';
import {
  isBegun,
  switchChain,
  type BridgeOperationResponse,
  type CausewayErrorType,
  type FindingCode,
  type TransferRecord,
} from '@causeway/sdk';
import { Badge, Button, Dialog, DialogActions, Facts, Hash, Notice, Time } from '@causeway/ui/components';
import { DELAY_WORDS, formatAmount, STATUS_LABELS, type Label } from '@causeway/ui/format';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { TransactionHash } from '../components/explorer-link.js';
import { useSettings } from '../settings/context.js';
import { makeChain, findSide } from '../wallet/chains.js';
import { useSdkWallet } from '../wallet/sdk-wallet.js';
import type { PageWallet } from '../wallet/use-wallet.js';
import { LateHint } from '../wallet/wallet-bar.js';
import { TRANSFERS } from '../words/transfers.js';
import { linkRecord } from './record-link.js';
import { getRoute, findOperation, listSteps } from './record-steps.js';
import { isOfThisBridge } from './this-bridge.js';

/** Properties that all rows share. */
export interface RowsProps {
  readonly wallet: PageWallet;
  /** Fills the form with the terms of a transfer that ended. */
  readonly onAnew: (record: TransferRecord) => void;
  /** Continues a transfer in spite of findings. */
  readonly onAccept: (accepted: { readonly id: string; readonly codes: readonly FindingCode[] }) => void;
  /** The button that claims a credit. */
  readonly renderClaim: (operation: BridgeOperationResponse) => ReactNode;
}

/** A transfer of this browser: its steps, its state, and what the user can do. */
export function TransferRow({
  transfer,
  wallet,
  onAnew,
  onAccept,
  renderClaim,
}: {
  readonly transfer: RecordedTransfer;
} & RowsProps) {
  const settings = useSettings();
  const { record, status, outcome, message, error, offers } = transfer;
  const { ethereum, partner } = settings;
  const { data: operation } = useStatus(outcome ?? findOperation(record));
  const side = findSide(settings, record.chainId);
  const route = {
    in: `${ethereum.name} → ${partner.name}`,
    out: `${partner.name} → ${ethereum.name}`,
    claim: TRANSFERS.claim(side === null ? '' : settings[side].name),
  }[getRoute(record.kind)];
  // A record of another bridge at this address can have an asset that is unknown here.
  const amount = isOfThisBridge(record, settings) ? formatAmount(record.asset, record.amount) : '?';
  const title = TRANSFERS.what(amount, record.asset, route);
  // The lock of the transfer is held by another tab.
  const isElsewhere = error?.name === 'RecordError' && error.field === 'id';
  const known = isElsewhere ? TRANSFERS.elsewhere : TRANSFERS.statuses[status];
  const label: Label = operation === undefined ? known : (STATUS_LABELS[operation.status] ?? TRANSFERS.statuses.sent);
  const isFollowed = operation !== undefined;
  const steps = listSteps(record);
  const isAsked = status === 'running' && steps.some(({ state }) => state === 'asked');
  const left = status === 'interrupted' ? TRANSFERS.connect(record.sender) : message;
  const words = isElsewhere ? TRANSFERS.elsewhereText : left;
  return (
    <li aria-label={title} className="flex flex-col gap-3 px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-medium wrap-anywhere">{title}</h3>
        <Badge label={label} />
      </div>
      <Facts
        facts={[
          [TRANSFERS.from, <Hash key="from" hex={record.sender} label={TRANSFERS.from} />],
          [TRANSFERS.to, <Hash key="to" hex={record.recipient} label={TRANSFERS.to} />],
          [TRANSFERS.began, <Time key="began" at={record.createdAt} />],
        ]}
      />
      <ol aria-label={TRANSFERS.steps} className="flex flex-col gap-1.5">
        {steps.map((step, index) => (
          <li key={index} className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="text-muted tabular-nums">{index + 1}.</span>
            <span>{step.words}</span>
            <Badge label={TRANSFERS.states[step.state]} />
            {step.hash === null ? null : <TransactionHash hash={step.hash} chainId={record.chainId} />}
          </li>
        ))}
      </ol>
      <div role="status" className="flex flex-col gap-2">
        {isFollowed ? (
          <Arrival operation={operation} renderClaim={renderClaim} />
        ) : status === 'undecided' ? null : (
          <p>{words}</p>
        )}
        {isAsked ? <LateHint /> : null}
      </div>
      {error?.name === 'UndecidedError' ? (
        <Notice tone="warn" title={TRANSFERS.undecided.title}>
          <p>{error.step}</p>
          <p className="mt-1">{TRANSFERS.undecided.looked}:</p>
          <ul className="list-disc pl-5">
            {error.looks.map(({ at, showed }) => (
              <li key={at}>
                {at}: {showed}
              </li>
            ))}
          </ul>
          <p className="mt-1">{TRANSFERS.undecided.todo}</p>
        </Notice>
      ) : null}
      <div className="flex flex-wrap gap-2">
        {offers.map((offer) =>
          offer === 'discard' ? (
            <RemoveButton key={offer} transfer={transfer} isSafe={isFollowed || !isBegun(record)} />
          ) : isFollowed || (status === 'interrupted' && wallet.account !== record.sender.toLowerCase()) ? null : (
            <Button key={offer} isSmall onPress={transfer[offer]}>
              {status !== 'undecided'
                ? TRANSFERS.offers[offer]
                : offer === 'resume'
                  ? TRANSFERS.resumeUndecided
                  : TRANSFERS.sendAgainUndecided}
            </Button>
          ),
        )}
        {error?.name === 'CheckError' && error.findings.every(({ severity }) => severity === 'acceptable') ? (
          <Button isSmall onPress={() => onAccept({ id: record.id, codes: error.findings.map(({ code }) => code) })}>
            {TRANSFERS.accept}
          </Button>
        ) : null}
        {error?.name === 'WrongNetworkError' ? <SwitchButton transfer={transfer} wallet={wallet} /> : null}
        {(error?.name === 'IntentUnpayableError' || error?.name === 'TransactionFailedError') &&
        record.kind !== 'CLAIM' ? (
          <Button
            isSmall
            onPress={() => {
              onAnew(record);
              transfer.discard();
            }}
          >
            {TRANSFERS.anew}
          </Button>
        ) : null}
        {isFollowed ? null : <ExportButtons transfer={transfer} />}
      </div>
    </li>
  );
}

/** The state of the operation after its transaction was mined. */
function Arrival({
  operation,
  renderClaim,
}: { readonly operation: BridgeOperationResponse } & Pick<RowsProps, 'renderClaim'>) {
  const { status, delayedReason, failureMessage, refundId, settlement, estimatedCompletionTime } = operation;
  const id = operation.depositId ?? operation.withdrawId ?? operation.intentId ?? operation.originTxHash ?? '';
  return (
    <>
      {delayedReason === null ? null : (
        <p>{TRANSFERS.delayed((DELAY_WORDS as Readonly<Record<string, string>>)[delayedReason] ?? delayedReason)}</p>
      )}
      {failureMessage === null ? null : <p>{failureMessage}</p>}
      {estimatedCompletionTime === null || status === 'COMPLETED' ? null : (
        <p>
          {TRANSFERS.arrives} <Time at={estimatedCompletionTime} />
        </p>
      )}
      {settlement?.credited === true ? renderClaim(operation) : null}
      <p className="flex flex-wrap gap-x-4">
        <Link to="/transfer/$id" params={{ id }} className="font-medium text-accent underline">
          {TRANSFERS.details}
        </Link>
        {refundId === null ? null : (
          <Link to="/refund/$id" params={{ id: refundId }} className="font-medium text-accent underline">
            {TRANSFERS.refund}
          </Link>
        )}
      </p>
    </>
  );
}

/** Switches the wallet to the chain of the transfer, then continues it. */
function SwitchButton({ transfer, wallet }: { readonly transfer: RecordedTransfer; readonly wallet: PageWallet }) {
  const settings = useSettings();
  const signer = useSdkWallet(wallet);
  const side = findSide(settings, transfer.record.chainId);
  const { mutate, isPending, error } = useMutation<void, CausewayErrorType>({
    mutationFn: async () => {
      if (signer !== null && side !== null) await switchChain(signer, makeChain(settings, side));
    },
    onSuccess: transfer.offers.includes('resume') ? transfer.resume : transfer.sendAgain,
  });
  if (side === null || signer === null) return null;
  return (
    <>
      <Button isSmall isBusy={isPending} onPress={() => mutate()}>
        {TRANSFERS.switch(settings[side].name)}
      </Button>
      {error === null ? null : <p role="alert">{`${error.message} ${error.nextStep}`}</p>}
    </>
  );
}

/** Removes the record; asks first if the wallet may have sent it. */
function RemoveButton({ transfer, isSafe }: { readonly transfer: RecordedTransfer; readonly isSafe: boolean }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button isSmall look="quiet" onPress={() => (isSafe ? transfer.discard() : setAsking(true))}>
        {TRANSFERS.offers.discard}
      </Button>
      <Dialog title={TRANSFERS.removeTitle} isOpen={isAsking} onClose={() => setAsking(false)}>
        <p>{TRANSFERS.removeText}</p>
        <DialogActions>
          <Button onPress={() => setAsking(false)}>{TRANSFERS.keep}</Button>
          <Button look="danger" onPress={transfer.discard}>
            {TRANSFERS.offers.discard}
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}

function ExportButtons({ transfer: { record } }: { readonly transfer: RecordedTransfer }) {
  const [isCopied, setCopied] = useState(false);
  const save = () => {
    const url = URL.createObjectURL(new Blob([JSON.stringify(record)], { type: 'application/json' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = `causeway-${record.id.slice(2, 10)}.json`;
    link.click();
    URL.revokeObjectURL(url);
  };
  const copy = async () => {
    await navigator.clipboard.writeText(linkRecord(record, location.origin));
    setCopied(true);
  };
  return (
    <>
      <Button isSmall look="quiet" onPress={save}>
        {TRANSFERS.saveFile}
      </Button>
      <Button isSmall look="quiet" onPress={() => void copy()}>
        {isCopied ? TRANSFERS.copied : TRANSFERS.copyLink}
      </Button>
    </>
  );
}
