export { readSettings } from './address-book.js';
export { buildIndexTrie, verifyReceiptProof, type IndexTrie, type MerklePath } from './blocks/trie.js';
export { judgeAcceptance, type AcceptanceVerdict, type AcceptedIntent } from './checks/acceptance.js';
export { readLocked } from './checks/collateral.js';
export { readContract, type ContractRead } from './checks/contract-reads.js';
export {
  attestationDigest,
  type AttestedCall,
  type Consent,
  type MintPayment,
  type ReleasePayment,
} from './digests/attestation-digest.js';
export { computeIntentId, computeOperationId, computeRefundId, type ArrivalPlace, type Intent } from './digests/ids.js';
export type { RefundApproval } from './digests/refund-approval.js';
export type { Domain } from './digests/typed-data.js';
export type { Delivery, IntentDelivery, Origin, RefundItem, TransferOrigin } from './items.js';
export { judgeDelivery } from './judge-delivery.js';
export { judgeRefund } from './judge-refund.js';
export type { Cursor, ExplainedIntent } from './ledger/books.js';
export { FINDINGS, THEFTS, type Finding, type FindingCode } from './ledger/finding.js';
export { Ledger, type Counts, type Keys, type LedgerQuestion } from './ledger/ledger.js';
export {
  lookUp,
  NotDeployedError,
  readLedger,
  ReplacedError,
  type FoundTransfers,
  type ReadOptions,
  type ReadProgress,
} from './ledger/read-ledger.js';
export { BadStateError, type BadStateReason } from './ledger/state.js';
export type { AssetSums } from './ledger/sums.js';
export type { TrustBasis, TrustChange } from './ledger/trust.js';
export type { Finality, Side } from './nodes/finality.js';
export type { PlacedLog } from './nodes/quorum-reader.js';
export type { Node } from './nodes/node.js';
export { NoQuorumError, type Dissent, type OnDissent } from './nodes/quorum-reader.js';
export { MemoryRecord, type Acceptance, type SignedTransfer, type TransferRecord } from './record.js';
export {
  traceBeginning,
  type Beginning,
  type EventBeginning,
  type OperationQuestion,
  type PaymentBeginning,
} from './trace/beginning.js';
export { readHead, traceWallet, type Heads } from './trace/heads.js';
export {
  OPERATION_STEPS,
  proveOperation,
  valueOf,
  type Known,
  type OperationFacts,
  type OperationHint,
  type OperationStep,
} from './trace/operation.js';
export { checkProof, collectProof, ProofFileError, type CheckedProof, type ProofFile } from './trace/proof.js';
export type { Evidence, ProofProblem, StatedPlace, Statement } from './trace/statement.js';
export {
  tracePayment,
  tracePolicy,
  type PaymentQuestion,
  type ReleasedIntent,
  type TracedPayment,
  type TracedPolicy,
} from './trace/payments.js';
export {
  checkStatements,
  compareAssets,
  findShortage,
  readAttesterSets,
  type CheckOptions,
  type PlacedAttesterSet,
  type ReservesProblem,
} from './reserves/check-statements.js';
export { readFinalPair, readReserves, WrongPairError } from './reserves/read-reserves.js';
export {
  reservesDigest,
  type AssetReserves,
  type ReservesStatement,
  type SignedReserves,
} from './reserves/statement.js';
export {
  checkState,
  type AssetSheet,
  type BalanceSheet,
  type Evidence as StateEvidence,
  type StateCheck,
} from './state/check-state.js';
export type { AssetSettings, BridgeSettings, VerifierSettings } from './settings.js';
export {
  REFUSAL_REASONS,
  type NotYet,
  type OriginProof,
  type Refusal,
  type RefusalReason,
  type TransferKey,
  type Until,
  type Verdict,
} from './verdict.js';
export {
  createVerifier,
  readFinalHeaders,
  type ChainOptions,
  type FinalHeaders,
  type Verifier,
  type VerifierOptions,
} from './verifier.js';
