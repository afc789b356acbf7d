export { migrate } from './connection/migrate.js';
export { openStore, type Store } from './connection/open-store.js';
export type { TransferKey } from './intents/bind-transfer.js';
export type { IntentRecord } from './intents/intent-repository.js';
export { isInWindow } from './intents/payment-window.js';
export { FenceLostError, type Fence } from './locks/lease.js';
export { IllegalTransitionError } from './operations/advance-operation.js';
export type { FinalDelivery } from './operations/operation-repository.js';
export type { BlockRecord, Operation, OperationKind, OperationTerms, OriginRecord } from './operations/operation.js';
export { HaltChangedError, type Halt } from './scan/halt-repository.js';
export type { UnmatchedEvent } from './scan/reconcile-repository.js';
export { FinalityBrokenError } from './scan/reorg.js';
export { StaleCursorError } from './scan/scan-repository.js';
export type { ScannedBlock, ScannedEvent } from './scan/scanned-block.js';
export type { JournalledTransaction, NonceUse, SignedTransaction, Wallet } from './transactions/journal-entry.js';
export { OperationNotDueError, type JournalEntry } from './transactions/journal-repository.js';
export type {
  EvidenceTransaction,
  RetirementEvidence,
  WaitingWithdrawals,
} from './transactions/retirement-evidence.js';
export type { RetirementEntry } from './transactions/retirement-repository.js';
export type { SweepEntry, UnsweptTransfers } from './transactions/sweep-repository.js';
