export { migrate } from './connection/migrate.js';
export { openStore, type Store, type StoreOptions } from './connection/open-store.js';
export type { TransferKey } from './intents/bind-transfer.js';
export {
  IntentRepository,
  type IntentRecord,
  type NewIntent,
  type UnboundTransfer,
} from './intents/intent-repository.js';
export { isInWindow, type PaymentWindow } from './intents/payment-window.js';
export { FenceLostError, LeaseRepository, type Fence } from './locks/lease.js';
export { IllegalTransitionError } from './operations/advance-operation.js';
export { HistoryRepository, type HistoryPage, type HistoryQuery } from './operations/history-repository.js';
export {
  KEEPS_REVERTING,
  OperationRepository,
  type FinalDelivery,
  type Finality,
} from './operations/operation-repository.js';
export type {
  BlockRecord,
  Operation,
  OperationKind,
  OperationTerms,
  OriginRecord,
  SettlementRecord,
} from './operations/operation.js';
export { HaltChangedError, HaltRepository, type Halt } from './scan/halt-repository.js';
export { ReconcileRepository, type UnmatchedEvent, type UnmatchedTransfer } from './scan/reconcile-repository.js';
export { FinalityBrokenError } from './scan/reorg.js';
export { ScanRepository, StaleCursorError, type ScanCursor } from './scan/scan-repository.js';
export type { ScannedBlock, ScannedEvent, ScannedTransfer } from './scan/scanned-block.js';
export type { JournalledTransaction, SignedTransaction, Wallet } from './transactions/journal-entry.js';
export { JournalRepository, OperationNotDueError, type JournalEntry } from './transactions/journal-repository.js';
export type {
  EvidenceTransaction,
  RetirementEvidence,
  WaitingWithdrawals,
} from './transactions/retirement-evidence.js';
export {
  RetirementRepository,
  type MinedIn,
  type NonceUse,
  type RetirementEntry,
} from './transactions/retirement-repository.js';
