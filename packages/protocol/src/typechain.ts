// The entry point `@causeway/protocol/typechain`. It alone needs ethers, which is an optional peer dependency.
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
