// The entry point `@causeway/protocol/deployed-code`: to compare contracts on a chain with the compiled ones.
export {
  adminTimelockCode,
  bridgedTokenCode,
  bridgeLockCode,
  bridgeMintCode,
  matchesCode,
  readNativeUnit,
  sentinelCode,
} from '@causeway/contracts/deployed-code';
