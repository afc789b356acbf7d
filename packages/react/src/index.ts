'use client';

export { CausewayProvider, type CausewayProviderProps } from './provider.js';
export { useHistory, type UseHistoryResult } from './history.js';
export type { QueryOptions } from './query.js';
export { useCheck, type UseCheckParameters } from './check.js';
export { useQuote } from './quote.js';
export { useRecords, type RecordedTransfer } from './records.js';
export { useStatus } from './status.js';
export {
  useTransfer,
  type Transfer,
  type TransferActions,
  type TransferStatus,
  type UseTransferOptions,
  type UseTransferResult,
} from './transfer.js';
export type { TransferToBegin } from './transfers.js';
