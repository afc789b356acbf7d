export { startAnvil, testAccount, testKey, type Anvil, type AnvilOptions } from './anvil.js';
export { startGateway, type GatewayOptions, type GatewayProcess } from './gateway.js';
export { startPostgres, temporaryDatabase, type PostgresServer } from './postgres.js';
export { isLong, seed, withSeed } from './test-run.js';
export { waitUntil, type WaitOptions } from './wait-until.js';
