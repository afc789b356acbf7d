export type { StoredMember } from './admin/member-repository.js';
export type { NonceKey } from './admin/nonce-repository.js';
export type { AdminSession, SessionLifetimes } from './admin/session-repository.js';
export type { AuditFilter, AuditVerdict } from './audit/admin-audit-repository.js';
export type { AuditEntry, AuditRow } from './audit/audit-log.js';
export type { AuditHead, BrokenRow } from './audit/verify-audit.js';
export type { BackupFigures } from './connection/backups.js';
export type { DatabaseFigures } from './connection/database-server.js';
export {
  databaseProblems,
  IncompatibleDatabaseError,
  inspectDatabase,
  type DatabaseState,
} from './connection/inspect-database.js';
export { migrate, type MigrateOptions } from './connection/migrate.js';
export { MIGRATIONS, toMigrations, type Migration } from './connection/migrations.js';
export { openStore, type Store } from './connection/open-store.js';
export { CLOCK_TOLERANCE_MS, CLOCK_WARNING_MS, OLDEST_POSTGRES } from './connection/read-server.js';
export { isDatabaseUnavailable } from './connection/unavailable.js';
export type { TransferKey } from './intents/bind-transfer.js';
export type { KnownTransfer, UnboundTransfer } from './intents/intent-repository.js';
export { isInWindow } from './intents/payment-window.js';
export type { IntentRecord } from './intents/register-intent.js';
export type { Page, PageRequest, PageStart, TimeKey } from './listing/keyset.js';
export type { ExportQuery } from './listing/operation-export.js';
export type { OperationFilters } from './listing/operation-filters.js';
export { paginateOperations } from './listing/operation-listing.js';
export type { ListedRefund } from './listing/refund-listing.js';
export { FenceLostError, LeaseRepository, type Fence } from './locks/lease.js';
export { WAKE_UPS, type WakeUp, type WakeUpListener } from './locks/wake-ups.js';
export { IllegalTransitionError } from './operations/advance-operation.js';
export type { AttesterAnswer, TransferPlace } from './operations/attestable-repository.js';
export type {
  ChangedOperation,
  ChangeListener,
  FollowedOperations,
  OperationChanges,
} from './operations/change-repository.js';
export { UnknownCursorError, type HistoryPage, type HistoryQuery } from './operations/history-repository.js';
export {
  canBeUsedUp,
  type FinalDelivery,
  type Finality,
  type OperationDelay,
} from './operations/operation-repository.js';
export type { BlockRecord, Operation, OperationKind, OperationTerms, OriginRecord } from './operations/operation.js';
export type { OperationEvent, PastDelay, RelatedRecords } from './operations/related-repository.js';
export type { RebuildTotals } from './rebuild/rebuild-repository.js';
export type { StoredEvent, StoredTerms } from './rebuild/event-comparison.js';
export type { NonceOf, Quiet, Reconciliation, WalletNonces } from './rebuild/reconciliation-repository.js';
export type {
  CompletedBurn,
  RestoredIntent,
  RestoredRetirement,
  RestoredUpkeep,
  UnboundPayment,
  UnknownRelease,
} from './rebuild/restore-repository.js';
export type { ChainPair, FinalArrival, UnmatchedArrival } from './refunds/fail-operation.js';
export type { PayableRefund } from './refunds/refund-payment.js';
export type { SeenRefund } from './refunds/refund-repository.js';
export type { Refund } from './refunds/refund.js';
export type { RequestEffect } from './requests/effect.js';
export type { ApprovedRequest, CreatedRequest } from './requests/request-repository.js';
export {
  isReadable,
  type Actor,
  type AdminRequest,
  type NewRequest,
  type ReadableRequest,
} from './requests/request.js';
export { RETAINED, RETENTION_BATCH, type Retained } from './watch/retention-repository.js';
export { HaltChangedError, type DeliveriesHalt, type Halt } from './scan/halt-repository.js';
export type { UnmatchedEvent } from './scan/reconcile-repository.js';
export { FinalityBrokenError } from './scan/reorg.js';
export { StaleCursorError, type ScanProgress } from './scan/scan-repository.js';
export type { ScannedBlock, ScannedDust, ScannedTransfer } from './scan/scanned-block.js';
export type { CallRecord } from './transactions/call-history.js';
export type {
  EvidenceTransaction,
  RetirementEvidence,
  WaitingWithdrawals,
} from './transactions/retirement-evidence.js';
export type { BarePayment, TransactionName, UnjournaledTransaction } from './transactions/unjournaled-repository.js';
export type {
  CallOutcome,
  CallSubject,
  JournalledTransaction,
  NewCall,
  SignedTransaction,
  UnsweptTransfer,
  Wallet,
  WalletCall,
} from './transactions/wallet-call.js';
export type { AccountedBlock, BalanceDifference, WalletState } from './watch/audit-repository.js';
export type { NotificationChannel, PendingMessage } from './watch/notification-repository.js';
export type {
  CompletedOperations,
  DelayedOperations,
  LeaseState,
  OpenOperations,
  ReadChain,
  WatchedVersions,
  XcnPoint,
} from './watch/overview-repository.js';
export type { OwedAmount, PendingTransactions, Queue } from './watch/queue-repository.js';
export type { OwedDelivery, OwedTerms, SeenDelivery, SeenOpening, WatchedEvent } from './watch/verdict-repository.js';
export type { PublishedReserves } from './watch/reserves-repository.js';
export type { FinalBlocks, XcnTotals } from './watch/xcn-total-repository.js';
