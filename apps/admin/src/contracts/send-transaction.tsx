import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button, describeError, Hash, Notice } from '@causeway/ui/components';
import { followTransaction, sendTransaction, StallHint, type Progress, type Wallet } from '@causeway/ui/wallet';
import { reportCall } from '../api/mutations.js';
import type { Transaction } from './decoded-transaction.js';

/** The signer and reason of a transaction for the audit log. */
export interface Sending {
  readonly command: string;
  readonly reason: string;
  readonly account: string;
}

/** Lets the wallet sign one transaction of a call, reports its hash, and follows it until it is mined. */
export function SendTransaction({
  sending: { account, command, reason },
  transaction,
  wallet,
}: {
  readonly sending: Sending;
  readonly transaction: Transaction;
  readonly wallet: Wallet | null;
}) {
  const client = useQueryClient();
  const [progress, setProgress] = useState<Progress | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const { side, chainId, to, data, value } = transaction;
  const report = useMutation(reportCall);

  // A failed report is shown, but does not stop following the transaction.
  const tryReport = async (txHash: string) =>
    Promise.allSettled([report.mutateAsync({ command, reason, transactions: [{ side, txHash }] })]);

  const send = useMutation({
    onMutate: () => setProgress(null),
    mutationFn: async (provider: Wallet['provider']) => {
      stop.current = new AbortController();
      const { signal } = stop.current;
      const call = { to, data, value };
      const sent = await sendTransaction(provider, { account, chainId }, call, signal);
      setProgress({ state: 'PENDING', txHash: sent.txHash });
      await tryReport(sent.txHash);
      for await (const each of followTransaction(provider, { account, call, sent }, signal)) {
        setProgress(each);
        if ('replaced' in each && each.replaced !== null) await tryReport(each.txHash);
      }
      await client.invalidateQueries({ queryKey: ['contracts'] });
    },
  });

  if (transaction.step === 'wait')
    return (
      <p className="text-muted">Nothing to sign yet. Prepare the same call again when the timelock delay has passed.</p>
    );
  const isSigning = send.isPending && progress === null;
  const isRunning = send.isPending && (progress === null || progress.state === 'PENDING');
  return (
    <div className="flex flex-col gap-3" aria-live="polite">
      {isSigning ? (
        <Notice tone="info" title="Waiting for the wallet">
          Check the address and the data in the wallet, then sign.
          <StallHint />
        </Notice>
      ) : null}
      {progress === null ? null : <SentNotice progress={progress} />}
      {send.error === null ? null : (
        <Notice
          tone="bad"
          title={
            progress === null
              ? 'The transaction was not sent.'
              : 'The transaction was sent, but its progress is unknown.'
          }
        >
          {describeError(send.error)}
        </Notice>
      )}
      {report.error === null ? null : (
        <Notice tone="warn" title="The transaction was sent, but is missing from the audit log.">
          {describeError(report.error)}
        </Notice>
      )}
      <div className="flex gap-2">
        <Button
          look="primary"
          isBusy={isRunning}
          isDisabled={wallet === null || !transaction.maySend || progress?.state === 'SUCCEEDED'}
          onPress={() => (wallet === null ? undefined : send.mutate(wallet.provider))}
        >
          Sign with wallet
        </Button>
        {isRunning ? <Button onPress={() => stop.current.abort()}>Stop waiting</Button> : null}
      </div>
    </div>
  );
}

/** The progress of a sent transaction. Mined is not final: the page shows values of the agreed block. */
function SentNotice({ progress }: { readonly progress: Progress }) {
  const hash = <Hash hex={progress.txHash} label="transaction" />;
  switch (progress.state) {
    case 'PENDING':
      return (
        <Notice tone="info" title="Sent, not mined yet.">
          {hash}
        </Notice>
      );
    case 'SUCCEEDED':
      return (
        <Notice tone="good" title="Mined. The page updates once the nodes agree on the block.">
          {progress.replaced === null ? null : <p>The wallet replaced it with the same call at another gas price.</p>}
          {hash}
        </Notice>
      );
    case 'REVERTED':
      return (
        <Notice tone="bad" title="Mined, but the contract reverted it. Nothing changed.">
          {hash}
        </Notice>
      );
    case 'REPLACED':
      return (
        <Notice
          tone="warn"
          title="Replaced: another transaction of this account used its nonce. The call was not executed."
        >
          <Hash hex={progress.by} label="transaction" />
        </Notice>
      );
  }
}
