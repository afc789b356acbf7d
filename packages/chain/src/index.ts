export { readHeader } from './blocks/header.js';
export {
  readVerifiedBlock,
  readVerifiedBlocks,
  type VerifiedBlock,
  type VerifiedLog,
  type Watch,
} from './blocks/verified-block.js';
export {
  ChainError,
  classifyRpcError,
  InconsistentBlockError,
  NodeRefusedError,
  NodeUnavailableError,
  ReorgTooDeepError,
  UnsupportedTransactionError,
  WrongChainError,
} from './rpc/chain-error.js';
export { connectChain, type ChainConnection } from './rpc/connect-chain.js';
export {
  readFeePolicies,
  readOriginTerms,
  readOutflowRoom,
  readRelayers,
  type OriginTerms,
} from './rpc/on-chain-parameters.js';
export { scanNext, type ScanResult } from './scan-next.js';
export { broadcast, type BroadcastResult } from './transactions/broadcast.js';
export { bumpFees, estimateFees, FeeCapError, type Fees } from './transactions/fees.js';
export {
  localSigner,
  signTransaction,
  type SignedTransactionRecord,
  type Signer,
} from './transactions/sign-transaction.js';
export { simulate, type Simulation } from './transactions/simulate.js';
