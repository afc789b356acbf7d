import type { TransferRecord } from '@causeway/sdk';
import { useEffect, useSyncExternalStore } from 'react';
import { useCauseway } from './provider.js';
import { describeTransfer, type Transfer, type UseTransferOptions } from './transfer.js';
import { IDLE, NO_TRANSFERS } from './transfers.js';

/** A transfer of the store. */
export interface RecordedTransfer extends Transfer {
  readonly record: TransferRecord;
}

/**
 * Lists the transfers of the store, newest first, with those that run in this page. A transfer that was begun, by this
 * account, resumes once without a click. In two tabs one resumes it, and the other one shows that it is in use. What
 * was never asked for or refused waits for `sendAgain` or `discard`.
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
  const { bridge, transfers } = useCauseway();
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
