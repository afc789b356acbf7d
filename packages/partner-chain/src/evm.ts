// The entry point `@causeway/partner-chain/evm`: only the chain's EVM, on any state, for simulations.
export { Account, Address } from '@ethereumjs/util';
export { createCommon } from './evm/common.js';
export type { CallFrame } from './evm/call-tree.js';
export { PartnerEvm, type BlockEnvironment } from './evm/partner-evm.js';
export { floorGas, runMessage } from './evm/run-message.js';
export { estimateGas, revertError, simulate } from './simulation/simulate.js';
export type { StateReader } from './state/state-reader.js';
