export {
  decodeBridgeEvent,
  ImpossibleEventError,
  isWithdrawal,
  watchedEvents,
  type EventContext,
  type FeeRates,
} from './blocks/bridge-events.js';
export {
  readVerifiedBlock,
  readVerifiedBlocks,
  type BlockContent,
  type VerifiedBlock,
  type VerifiedLog,
} from './blocks/verified-block.js';
export { lower } from './blocks/rpc-shapes.js';
export type { Watch } from './blocks/watch.js';
export { readLogs, type AgreedLog } from './reader/agreed-logs.js';
export { ChainReader, type ReadPosition, type ReadStep } from './reader/chain-reader.js';
export type { NumberedEvents } from './reader/numbering.js';
export type { NodeFault } from './reader/range-logs.js';
export { httpTransport } from './nodes/http-transport.js';
export { readAnnouncedChain } from './nodes/head-subscription.js';
export type { AgreedBlock, ChainConnection, ChainNode, NodeEvent, NodeStatus } from './nodes/chain-connection.js';
export { connectChain, connectNodes, type ChainOptions, type NodeClock, type NodesOptions } from './nodes/node-pool.js';
export { internalTransfers, type InternalTransfer, type MirrorAction } from './mirror/call-tree.js';
export {
  agreeingMirrors,
  connectMirrors,
  MirrorUnavailableError,
  type Mirror,
  type MirrorAnswer,
  type MirrorSource,
} from './mirror/mirror.js';
export { checkAccountSignature, type SignatureVerdict } from './rpc/account-signature.js';
export {
  ChainError,
  classifyRpcError,
  describeNodes,
  IncompleteRangeError,
  InconsistentBlockError,
  NodeRefusedError,
  NodeThrottledError,
  NodeUnavailableError,
  QuorumError,
  ReorgTooDeepError,
  UnsupportedTransactionError,
  WrongChainError,
} from './rpc/chain-error.js';
export {
  readFeePolicies,
  readDestinationTerms,
  readOriginTerms,
  readRelayer,
  type DestinationAsset,
  type DestinationTerms,
  type OriginTerms,
} from './rpc/on-chain-parameters.js';
export { readTokenSignatures, type TokenSignatures } from './rpc/token-signatures.js';
export { decryptKeystore, openKeystore } from './signers/keystore-signer.js';
export { localSigner } from './signers/local-signer.js';
export { openSigner, trySigner, type SignerSettings } from './signers/open-signer.js';
export { SignerError, SignerUnavailableError } from './signers/signer-error.js';
export type { Signer } from './signers/signer.js';
export { broadcast, type BroadcastResult } from './transactions/broadcast.js';
export {
  findRevertReason,
  findTransaction,
  findTransactionByNonce,
  type DecodedRevert,
  type FoundTransaction,
  type MinedTransaction,
} from './transactions/find-transaction.js';
export {
  decodeUserOperation,
  findUserOperation,
  type ExecutedUserOperation,
} from './transactions/find-user-operation.js';
export { signTransaction, type Fees } from './transactions/sign-transaction.js';
export { simulate, type Simulation } from './transactions/simulate.js';
export type { SpendingLimits } from './wallet/books.js';
export { bumpFees, feesFor, readMarket } from './wallet/fees.js';
export { laneChain } from './wallet/lane-chain.js';
export { WalletLane, type CallRequest, type Submission } from './wallet/lane.js';
export { findCallEnd, type LaneOptions } from './wallet/follow-calls.js';
export type { LaneView } from './wallet/books.js';
export type {
  AgreedReceipt,
  CallEnd,
  InFlight,
  LaneChain,
  LaneJournal,
  PendingCall,
  Recorded,
  SignedCall,
  Verdict,
} from './wallet/ports.js';
