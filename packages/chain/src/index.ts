export { readHeader } from './blocks/read-header.js';
export { readVerifiedBlock } from './blocks/read-verified-block.js';
export { readVerifiedBlocks } from './blocks/read-verified-blocks.js';
export type { NativeTransfer, VerifiedBlock, VerifiedLog, Watch } from './blocks/verified-block.js';
export { readFeePolicies } from './bridge/read-fee-policies.js';
export { readOutflowRoom } from './bridge/read-outflow-room.js';
export { readRelayers } from './bridge/read-relayers.js';
export {
  ChainError,
  InconsistentBlockError,
  NodeRefusedError,
  NodeUnavailableError,
  ReorgTooDeepError,
  UnsupportedTransactionError,
  WrongChainError,
  type ChainErrorCode,
} from './rpc/chain-error.js';
export { classifyRpcError } from './rpc/classify-rpc-error.js';
export { connectChain, type ChainConnection, type ChainOptions } from './rpc/connect-chain.js';
export { planScan, type ScanPlan, type ScanPlanInput } from './scan/plan-scan.js';
export { scanNext, type ScanInput, type ScanPosition, type ScanResult } from './scan/scan-next.js';
export { broadcast } from './send/broadcast.js';
export { classifyBroadcastError, type BroadcastResult } from './send/classify-broadcast-error.js';
export { bumpFees, estimateFees, FeeCapError, type Fees } from './send/fees.js';
export { signTransaction, type SignedTransactionRecord } from './send/sign-transaction.js';
export { simulate, type Call, type Simulation } from './send/simulate.js';
export { localSigner, type Signer } from './signers/signer.js';
