// The entry point `@causeway/partner-chain/evm`: the chain's EVM alone, on any state, for simulations.
export { Account, Address } from '@ethereumjs/util';
export { createCommon } from './common.js';
export type { CallFrame } from './call-tree.js';
export { PartnerEvm, type BlockEnvironment } from './partner-evm.js';
export { floorGas, runMessage } from './run-message.js';
export { estimateGas, revertError, simulate } from '../simulation/simulate.js';
export type { StateReader } from '../state/state-reader.js';
