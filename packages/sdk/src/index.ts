export { connectBridge, type Bridge, type BridgeOptions } from './bridge.js';
export * from './errors.js';
export { FINDING_CODES, type Finding, type FindingCode } from './check/finding.js';
export type { SentTransfer, UndecidedTransfer, Look } from './transfer/result.js';
export {
  RECORD_VERSION,
  TRANSFER_KINDS,
  type Step,
  type TransferKind,
  type TransferRecord,
} from './transfer/record.js';
export type { RecordStore } from './transfer/store.js';
export { fromProvider, fromViem } from './wallet/viem-wallet.js';
export type { Wallet, WalletTransaction, WalletTypedData } from './wallet/wallet.js';
export type { CheckOptions, TransferOptions, TransferTerms } from './transfer/options.js';
