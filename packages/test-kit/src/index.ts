export { startAnvil, testAccount, testKey, type Anvil, type AnvilOptions } from './anvil.js';
export {
  aBlock,
  aBurn,
  aDelivery,
  aDeposit,
  aHash,
  anAddress,
  anAddressBook,
  aNativeWithdrawal,
  anIntent,
  aSignature,
  aTransfer,
  ETHEREUM,
  opening,
  PARTNER,
  paying,
} from './builders.js';
export { startGateway, type GatewayOptions, type GatewayProcess } from './gateway.js';
export { temporaryDatabase, type PostgresServer } from './postgres.js';
export { isLong, seed, waitUntil } from './test-run.js';
