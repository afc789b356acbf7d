export {
  defineEthereumChain,
  definePartnerChain,
  DIRECTIONS,
  isTerminal,
  OPERATION_STATUSES,
  type AddressBook,
  type Announcement,
  type Asset,
  type AssetLimits,
  type AssetState,
  type AttesterState,
  type BridgeOperationResponse,
  type ChainState,
  type ChainTerms,
  type ClosedReason,
  type ConfigChain,
  type ConfigResponse,
  type ConfigToken,
  type DelayReason,
  type Direction,
  type DirectionLimits,
  type DirectionState,
  type Environment,
  type ErrorCode,
  type ExplainResponse,
  type FailureReason,
  type FeeQuoteResponse,
  type FeeTerms,
  type HealthComponent,
  type HealthResponse,
  type HistoryResponse,
  type LimitsResponse,
  type OperationsResponse,
  type OperationStatus,
  type PartState,
  type RefundPayment,
  type RefundResponse,
  type RefundStatus,
  type Settlement,
  type Side,
  type StallReason,
  type ReservesResponse,
  type ReservesStatementResponse,
  type StateResponse,
  type UndeliverableReason,
  type UnpayableReason,
  type VerdictCode,
  type WalletChain,
  type Warning,
  type WarningCode,
  type WithdrawalTerms,
} from '@causeway/protocol';
export { connectBridge, type Bridge, type BridgeOptions } from './bridge.js';
export * from './errors.js';
export { parseAccount } from './account.js';
export { formatTokenAmount, parseTokenAmount, type Token } from './amount.js';
export { getConfig } from './api/config.js';
export { explainHash, getRefund, type ExplainParameters } from './api/explain.js';
export { getHealth } from './api/health.js';
export {
  getHistory,
  iterateHistory,
  listOperations,
  type AddressHistory,
  type OperationFilters,
} from './api/history.js';
export { getLimits } from './api/limits.js';
export { getReserves, type ReservesPage } from './api/reserves.js';
export { getState } from './api/state.js';
export { getOperation, getStatus, type OperationIdentifier } from './api/operation.js';
export type { Page } from './pause.js';
export { getQuote, type QuoteParameters } from './api/quote.js';
export type { ReadOptions, RetryEvent } from './read.js';
export { watchOperation, type WatchOptions } from './api/watch.js';
export type { NewestBlock } from './wallet/node.js';
export { assertPasses, checkTransfer, type CheckReport, type CheckTerms, type PassedCheck } from './check/check.js';
export { MAX_GAS_FEE } from './check/gas.js';
export { readFunds, type Funds } from './check/funds.js';
export { FINDING_CODES, type Finding, type FindingCode } from './finding.js';
export type { CheckedKind, PlannedTransfer } from './check/planned-transfer.js';
export type { SentTransfer, UndecidedTransfer } from './record/result.js';
export type { Progress } from './record/progress.js';
export { getTransferState, isBegun, RECORD_VERSION, TRANSFER_KINDS } from './record/record.js';
export type { Step, TransferKind, TransferRecord, TransferState } from './record/record.js';
export type { RecordStore } from './record/store.js';
export { fromProvider, fromViem, type Provider } from './wallet/viem-wallet.js';
export type { UnpreparedTransaction, Wallet, WalletTransaction, WalletTypedData } from './wallet/wallet.js';
export type { CheckOptions, TransferOptions, TransferTerms } from './steps/options.js';
export { burn, withdrawXcn, withdrawXcnByIntent, type XcnTerms } from './transfer/withdraw.js';
export { claim, type ClaimTerms } from './transfer/claim.js';
export { createBrowserStore, type BrowserStore } from './record/browser-store.js';
export { deposit, planDeposit } from './transfer/deposit.js';
export { parseRecord } from './record/record-form.js';
export { resume, type ForeignTransfer, type ResumeOptions } from './transfer/resume.js';
export { switchChain } from './wallet/networks.js';
export { makeTokenList, type TokenList, type TokenListTerms, type TokenListVersion } from './token-list.js';
