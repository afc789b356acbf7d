export { getToken, type AddressBook } from '@causeway/contracts/address-book';
export { addressBookSchema } from '@causeway/contracts/address-book-schema';
export {
  assetInfo,
  getCoin,
  DIRECTIONS,
  formatAmount,
  listAssets,
  parseAmount,
  pickAsset,
  setAssets,
  type Asset,
  type AssetInfo,
  type Direction,
  type PerAsset,
} from './assets.js';
export { canonicalJson, type CanonicalValue } from './canonical-json.js';
export {
  findAssetByToken,
  chainProfile,
  confirmations,
  definePartnerChain,
  environmentSchema,
  estimateSeconds,
  type ChainProfile,
  type Environment,
  type PartnerChainTerms,
  type Side,
  type TimingTerms,
} from './chains.js';
export { BridgeError, ERROR_CODES, isBridgeError, type ErrorCode } from './errors.js';
export { explain, type HashFacts } from './explain/explain.js';
export type { ExplainedOperation } from './explain/operation.js';
export type { RefundFact } from './explain/refund.js';
export type { Arrival, ExplainedTransaction, RevertReason } from './explain/transaction.js';
export { VERDICT_CODES, type Verdict, type VerdictCode } from './explain/verdict.js';
export { DEFAULT_FEE_POLICIES, quoteFee, type FeePolicy, type FeeQuote, type QuoteTerms } from './fees.js';
export {
  INTENT_WINDOW_SECONDS,
  intentDigest,
  intentDomain,
  intentNonceHash,
  releasedIntentDigest,
  verifyIntentSignature,
  xcnWithdrawIntentTypes,
  type IntentDomain,
  type ReleasedIntent,
  type XcnWithdrawIntent,
} from './intents.js';
export {
  canTransition,
  DELAY_REASONS,
  isTerminal,
  operationId,
  OPERATION_STATUSES,
  STALL_REASONS,
  computeStatus,
  UNPAYABLE_REASONS,
  type BridgeEvent,
  type DelayReason,
  type OperationFacts,
  type OperationKind,
  type OperationStatus,
  type OperationTerms,
  type UnpayableReason,
} from './operations.js';
export {
  FAILURE_REASONS,
  REFUND_STATUSES,
  computeRefundId,
  type ArrivalPlace,
  type FailureReason,
  type RefundStatus,
} from './refunds.js';
export * from './rest/config.js';
export * from './rest/events.js';
export * from './rest/intents.js';
export * from './rest/operations.js';
export * from './rest/quotes.js';
export * from './rest/refunds.js';
export * from './rest/service.js';
export * from './rest/transactions.js';
export * from './rest/warnings.js';
export { expandSignature, isSignedByKey, unwrapSignature } from './signatures.js';
