// The entry point `@causeway/protocol/ethers`: TypeChain factories. Only this entry needs ethers, an optional peer.
export {
  BridgeLock__factory,
  BridgeMint__factory,
  BridgedToken__factory,
  TestUSDC__factory,
  TestXCN__factory,
  type BridgeLock,
  type BridgeMint,
  type BridgedToken,
  type TestUSDC,
  type TestXCN,
} from '@causeway/contracts/typechain';
