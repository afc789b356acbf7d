export { addressBookSchema, type AddressBook } from '@causeway/contracts/address-book';
export { ASSETS, assetInfo, type Asset, type AssetInfo } from './assets/asset.js';
export { atomic, type Atomic } from './assets/atomic.js';
export { DIRECTIONS, type Direction } from './assets/direction.js';
export { formatAmount } from './assets/format-amount.js';
export { parseAmount } from './assets/parse-amount.js';
export {
  chainProfile,
  environmentSchema,
  KNOWN_CHAIN_IDS,
  type ChainProfile,
  type Environment,
} from './chains/chain-profile.js';
export { confirmations } from './chains/confirmations.js';
export { estimateSeconds, type TimingTerms } from './chains/estimate-seconds.js';
export { DELAY_REASONS, type DelayReason } from './delay-reason.js';
export { assetOfToken, tokenOfAsset, type Side } from './deployment/token-of-asset.js';
export { BridgeError, type BridgeErrorDetails } from './errors/bridge-error.js';
export { ERROR_CODES, type ErrorCode } from './errors/error-codes.js';
export { isBridgeError } from './errors/is-bridge-error.js';
export { DEFAULT_FEE_POLICIES, validateFeePolicy, type FeePolicy } from './fees/fee-policy.js';
export { quoteFee, type FeeQuote } from './fees/quote-fee.js';
export { operationId } from './ids/operation-id.js';
export { verifyIntentSignature, type IntentSignatureInput } from './intents/verify-intent-signature.js';
export {
  intentDigest,
  intentDomain,
  xcnWithdrawIntentTypes,
  type IntentDomain,
  type XcnWithdrawIntent,
} from './intents/xcn-withdraw-intent.js';
export * from './rest/error.schema.js';
export * from './rest/health.schema.js';
export * from './rest/history.schema.js';
export * from './rest/intent.schema.js';
export * from './rest/limits.schema.js';
export * from './rest/operation.schema.js';
export { parseRequest } from './rest/parse-request.js';
export * from './rest/quote.schema.js';
export { canTransition } from './statuses/can-transition.js';
export { isTerminal, OPERATION_STATUSES, type OperationStatus } from './statuses/operation-status.js';
export { statusOf, type OperationFacts } from './statuses/status-of.js';
