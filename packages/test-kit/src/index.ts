export { startAnvil, testAccount, testKey, type Anvil, type AnvilOptions } from './anvil.js';
export {
  aBlock,
  aBurn,
  aDelivery,
  aDeposit,
  aHash,
  anAddress,
  anIntent,
  aSignature,
  ETHEREUM,
  opening,
  PARTNER,
  paying,
  type BlockData,
  type EventData,
  type TermsData,
} from './builders.js';
export { startGateway, type GatewayOptions, type GatewayProcess } from './gateway.js';
export { startPostgres, temporaryDatabase, type PostgresServer } from './postgres.js';
export { isLong, seed, withSeed } from './test-run.js';
export { waitUntil, type WaitOptions } from './wait-until.js';
