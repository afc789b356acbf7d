// The entry point `@causeway/contracts/deployed-code`, for comparing contracts on a chain with the compiled ones.
export {
  adminTimelockCode,
  bridgedTokenCode,
  bridgeFactoryCode,
  bridgeLockCode,
  bridgeMintCode,
  sentinelCode,
} from '../generated/deployed-code.js';
export { matchesCode, readNativeUnit } from './expect.js';
