export { addressBookSchema, type AddressBook } from '@causeway/contracts/address-book';
export {
  ASSETS,
  assetInfo,
  DIRECTIONS,
  formatAmount,
  parseAmount,
  type Asset,
  type AssetInfo,
  type Direction,
} from './assets.js';
export {
  assetOfToken,
  chainProfile,
  confirmations,
  environmentSchema,
  estimateSeconds,
  tokenOfAsset,
  type ChainProfile,
  type Environment,
  type Side,
  type TimingTerms,
} from './chains.js';
export { BridgeError, ERROR_CODES, isBridgeError, type ErrorCode } from './errors.js';
export { DEFAULT_FEE_POLICIES, quoteFee, type FeePolicy, type FeeQuote, type QuoteTerms } from './fees.js';
export {
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
  statusOf,
  type DelayReason,
  type OperationFacts,
  type OperationStatus,
} from './operations.js';
export * from './rest/intents.js';
export * from './rest/operations.js';
export * from './rest/quotes.js';
export * from './rest/service.js';
export { isSignedByKey, unwrapSignature } from './signatures.js';
