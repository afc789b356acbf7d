// The entry point `@causeway/contracts/typechain`: TypeChain's classes of bridge and test tokens, for ethers.
export type { BridgeLock } from './types/bridge/BridgeLock.js';
export type { BridgeMint } from './types/bridge/BridgeMint.js';
export type { TestUSDC } from './types/mocks/TestUSDC.js';
export type { TestXCN } from './types/mocks/TestXCN.js';
export type { BridgedToken } from './types/tokens/BridgedToken.js';
export { BridgeLock__factory } from './types/factories/bridge/BridgeLock__factory.js';
export { BridgeMint__factory } from './types/factories/bridge/BridgeMint__factory.js';
export { TestUSDC__factory } from './types/factories/mocks/TestUSDC__factory.js';
export { TestXCN__factory } from './types/factories/mocks/TestXCN__factory.js';
export { BridgedToken__factory } from './types/factories/tokens/BridgedToken__factory.js';
