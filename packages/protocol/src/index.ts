export { getToken, type AddressBook } from '@causeway/contracts/address-book';
export * from './answers/config.js';
export * from './answers/intents.js';
export * from './answers/operations.js';
export * from './answers/quotes.js';
export * from './answers/refunds.js';
export * from './answers/reserves.js';
export * from './answers/service.js';
export * from './answers/state.js';
export * from './answers/transactions.js';
export * from './answers/typed-data.js';
export * from './answers/warnings.js';
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
export {
  approveCall,
  CALL_GAS,
  claimCall,
  depositCall,
  depositWithAuthorizationCall,
  depositWithPermitCall,
  withdrawalCall,
  type AuthorizationTerms,
  type DepositTerms,
  type TransferCall,
  type WithdrawalTerms,
} from './calls/transfer-calls.js';
export { authorizationNonce, authorizationTypedData, permitTypedData } from './calls/typed-data.js';
export { canonicalJson, type CanonicalValue } from './canonical-json.js';
export {
  findAssetByToken,
  chainProfile,
  confirmations,
  defineEthereumChain,
  definePartnerChain,
  ENVIRONMENTS,
  estimateSeconds,
  type ChainProfile,
  type ChainTerms,
  type Environment,
  type Side,
  type TimingTerms,
} from './chains.js';
export { getErrorDocsPath, linkToDocs, linkToError } from './docs.js';
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
  type StallReason,
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
export { reservesTypedData, type AssetReserves, type ReservesProposal, type ReservesStatement } from './reserves.js';
export { expandSignature, isSignedByKey, unwrapSignature } from './signatures.js';
