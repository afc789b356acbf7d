export { connectBridge, type Bridge, type BridgeOptions } from './bridge.js';
export * from './errors.js';
export { parseAccount } from './account.js';
export { formatTokenAmount, parseTokenAmount, type Token } from './amount.js';
export { getConfig } from './api/config.js';
export { explainHash, getRefund, type ExplainParameters } from './api/explain.js';
export { getHealth } from './api/health.js';
export { getHistory, iterateHistory, type AddressHistory } from './api/history.js';
export { getLimits } from './api/limits.js';
export { getStatus, type OperationIdentifier } from './api/operation.js';
export type { Page } from './pause.js';
export { getQuote, type QuoteParameters } from './api/quote.js';
export type { ReadOptions } from './api/request.js';
export { watchOperation, type WatchOptions } from './api/watch.js';
export type { NewestBlock } from './check/account-state.js';
export { assertPasses, checkTransfer, type CheckReport, type CheckTerms, type PassedCheck } from './check/check.js';
export { FINDING_CODES, type Finding, type FindingCode } from './check/finding.js';
export type { CheckedKind, PlannedTransfer } from './check/planned-transfer.js';
export type { SentTransfer, UndecidedTransfer, Look } from './transfer/result.js';
export {
  RECORD_VERSION,
  TRANSFER_KINDS,
  type Step,
  type TransferKind,
  type TransferRecord,
} from './transfer/record.js';
export type { RecordStore } from './transfer/store.js';
export { fromProvider, fromViem, type Provider } from './wallet/viem-wallet.js';
export type { Wallet, WalletTransaction, WalletTypedData } from './wallet/wallet.js';
export type { CheckOptions, TransferOptions, TransferTerms } from './transfer/options.js';
export { burn, withdrawXcn, withdrawXcnByIntent, type XcnTerms } from './transfer/withdraw.js';
export { claim, type ClaimTerms } from './transfer/claim.js';
export { createBrowserStore, type BrowserStore } from './transfer/browser-store.js';
export { deposit } from './transfer/deposit.js';
export { parseRecord } from './transfer/record-form.js';
export { resume, type ForeignTransfer, type ResumeOptions } from './transfer/resume.js';
export { switchChain } from './wallet/networks.js';
