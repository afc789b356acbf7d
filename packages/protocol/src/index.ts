export { addressBookSchema, assetOfToken, tokenOfAsset, type AddressBook } from './address-book.js';
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
  chainProfile,
  confirmations,
  environmentSchema,
  estimateSeconds,
  KNOWN_CHAIN_IDS,
  type ChainProfile,
  type Environment,
  type Side,
  type TimingTerms,
} from './chains.js';
export { DELAY_REASONS, type DelayReason } from './delay-reason.js';
export { BridgeError, ERROR_CODES, isBridgeError, type BridgeErrorDetails, type ErrorCode } from './errors.js';
export { DEFAULT_FEE_POLICIES, quoteFee, validateFeePolicy, type FeePolicy, type FeeQuote } from './fees.js';
export { operationId } from './ids.js';
export {
  intentDigest,
  intentDomain,
  verifyIntentSignature,
  xcnWithdrawIntentTypes,
  type IntentDomain,
  type IntentSignatureInput,
  type XcnWithdrawIntent,
} from './intents.js';
export * from './rest/intents.js';
export * from './rest/operations.js';
export * from './rest/quotes.js';
export * from './rest/service.js';
export {
  canTransition,
  isTerminal,
  OPERATION_STATUSES,
  statusOf,
  type OperationFacts,
  type OperationStatus,
} from './status.js';
