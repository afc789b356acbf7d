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
  InconsistentBlockError,
  NodeRefusedError,
  NodeUnavailableError,
  ReorgTooDeepError,
  UnsupportedTransactionError,
  WrongChainError,
} from './rpc/chain-error.js';
export { connectChain, type ChainConnection } from './rpc/connect-chain.js';
export { readFeePolicies, readOutflowRoom, readRelayers } from './rpc/on-chain-parameters.js';
export { classifyRpcError } from './rpc/rpc-error.js';
export { scanNext, type ScanResult } from './scan/scan-next.js';
export { signTransaction, type SignedTransactionRecord } from './signers/sign-transaction.js';
export { localSigner, type Signer } from './signers/signer.js';
export { broadcast, type BroadcastResult } from './transactions/broadcast.js';
export { bumpFees, estimateFees, FeeCapError, type Fees } from './transactions/fees.js';
export { simulate, type Simulation } from './transactions/simulate.js';
