import { useRecords } from '@causeway/react';
import type { FindingCode } from '@causeway/sdk';
import { Button, Card, Empty, Notice } from '@causeway/ui/components';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { useSdkWallet } from '../wallet/sdk-wallet.js';
import { TRANSFERS } from '../words/transfers.js';
import { encodeRecord } from './record-link.js';
import { TransferRow, type RowsProps } from './transfer-row.js';

/** Rows that follow their operations at the same time: a browser opens six connections to one server. */
const MOST_ROWS = 4;

/** The transfers of this browser, newest first. Begun ones of the connected account continue without a click. */
export function TransferList(rows: Omit<RowsProps, 'onAccept'>) {
  const { wallet } = rows;
  const [accepted, setAccepted] = useState<{ readonly id: string; readonly codes: readonly FindingCode[] } | null>(
    null,
  );
  const transfers = useRecords({ wallet: useSdkWallet(wallet), accept: accepted?.codes ?? [] });
  useEffect(() => {
    // The next rendering resumes it with the accepted findings, and only this transfer.
    if (accepted === null) return;
    transfers.find(({ record }) => record.id === accepted.id)?.resume();
    setAccepted(null);
  }, [accepted, transfers]);
  const [areAllShown, setAllShown] = useState(false);
  const shown = areAllShown ? transfers : transfers.slice(0, MOST_ROWS);
  return (
    <Card title={TRANSFERS.title} isFlush>
      {transfers.length === 0 ? <Empty title={TRANSFERS.empty}>{TRANSFERS.emptyText}</Empty> : null}
      <ul className="divide-y divide-line">
        {shown.map((transfer) => (
          <TransferRow key={transfer.record.id} transfer={transfer} {...rows} onAccept={setAccepted} />
        ))}
      </ul>
      <div className="flex flex-wrap items-center justify-between gap-2 border-t border-line px-4 py-2.5">
        {shown.length < transfers.length ? (
          <Button isSmall onPress={() => setAllShown(true)}>
            {TRANSFERS.more(transfers.length - shown.length)}
          </Button>
        ) : null}
        <ImportButton />
      </div>
    </Card>
  );
}

/** Opens a record of a file as a foreign one. */
function ImportButton() {
  const navigate = useNavigate();
  const [isWrong, setWrong] = useState(false);
  const open = async (file: File | null | undefined) => {
    if (file === null || file === undefined) return;
    try {
      await navigate({ to: '/continue', hash: encodeRecord(await file.text()) });
    } catch {
      setWrong(true);
    }
  };
  return (
    <div className="flex flex-wrap items-center gap-2 text-muted">
      <span>{TRANSFERS.importTitle}</span>
      <FileTrigger acceptedFileTypes={['application/json', '.json']} onSelect={(files) => void open(files?.[0])}>
        <Button isSmall>{TRANSFERS.importFile}</Button>
      </FileTrigger>
      {isWrong ? <Notice tone="bad" title={TRANSFERS.importFailed} /> : null}
    </div>
  );
}
