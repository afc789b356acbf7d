// The entry point `@causeway/protocol/abi`: the ABIs `as const`, from which viem infers the types of calls and events.
export {
  bridgedTokenAbi,
  bridgeLockAbi,
  bridgeMintAbi,
  sentinelAbi,
  testUsdcAbi,
  testXcnAbi,
} from '@causeway/contracts/abi';
