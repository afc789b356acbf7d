export { openStore, type Store, type StoreOptions } from './connection/open-store.js';
export { migrate } from './connection/migrate.js';
export { FenceLostError, type Fence } from './lease/fence.js';
export { LeaseRepository } from './lease/lease-repository.js';
export { HaltChangedError, HaltRepository, type Halt } from './halt/halt-repository.js';
export { HistoryRepository, type HistoryPage, type HistoryQuery } from './history/history-repository.js';
export {
  IntentRepository,
  type IntentRecord,
  type NewIntent,
  type UnboundTransfer,
} from './intents/intent-repository.js';
export type { TransferKey } from './intents/pair-transfer.js';
export { isInWindow, type PaymentWindow } from './intents/payment-window.js';
export { JournalRepository, OperationNotDueError, type JournalEntry } from './transactions/journal-repository.js';
export type { JournalledTransaction, SignedTransaction } from './transactions/journalled-transaction.js';
export type { Wallet } from './transactions/reserve-nonce.js';
export { IllegalTransitionError } from './operations/advance-operation.js';
export {
  KEEPS_REVERTING,
  OperationRepository,
  type FinalDelivery,
  type Finality,
} from './operations/operation-repository.js';
export type {
  Operation,
  OperationKind,
  OperationTerms,
  OriginRecord,
  SettlementRecord,
} from './operations/operation.js';
export { FinalityBrokenError } from './scan/roll-back-operations.js';
export { ReconcileRepository, type UnmatchedEvent, type UnmatchedTransfer } from './reconcile/reconcile-repository.js';
export {
  RetirementRepository,
  type MinedIn,
  type NonceUse,
  type RetirementEntry,
} from './retirements/retirement-repository.js';
export type { EvidenceTransaction, RetirementEvidence, WaitingWithdrawals } from './retirements/waiting-withdrawals.js';
export { ScanRepository, StaleCursorError, type BlockRecord, type ScanCursor } from './scan/scan-repository.js';
export type { ScannedBlock, ScannedEvent, ScannedTransfer } from './scan/scanned-block.js';
