import type { TransferRecord } from '@causeway/sdk';
import { useEffect, useSyncExternalStore } from 'react';
import { useCauseway } from './provider.js';
import { describeTransfer, useTransfers, type Transfer, type UseTransferOptions } from './transfer.js';
import { IDLE, NO_TRANSFERS } from './transfers.js';

/** A transfer of the store. */
export interface RecordedTransfer extends Transfer {
  readonly record: TransferRecord;
}

/**
 * Lists the transfers of the store, newest first. Those that this account has begun resume once, without a click; a
 * second tab shows them as in use. Others wait for `sendAgain` or `discard`.
 *
 * @example
 * ```tsx
 * const transfers = useRecords({ wallet });
 * return transfers.map(({ record, status, discard }) => (
 *   <button key={record.id} onClick={discard}>Discard ({status})</button>
 * ));
 * ```
 */
export function useRecords({ wallet, ...options }: UseTransferOptions): readonly RecordedTransfer[] {
  const { bridge } = useCauseway();
  const transfers = useTransfers();
  const listed = useSyncExternalStore(transfers.subscribe, transfers.list, () => NO_TRANSFERS);
  useEffect(() => {
    if (wallet !== null && wallet !== undefined) transfers.resumeBegun(bridge, wallet, options);
  });
  return listed.map(({ record, run }) => {
    const resume = (sendAgain: boolean) => void transfers.resume(bridge, wallet, record, { ...options, sendAgain });
    return {
      ...describeTransfer({ ...(run ?? IDLE), record }),
      record,
      resume: () => resume(false),
      sendAgain: () => resume(true),
      discard: () => transfers.discard(record),
    };
  });
}
