import { type Anvil, type GatewayProcess, startAnvil, startGateway, testKey } from '@causeway/test-kit';
import { afterAll, beforeAll } from '@jest/globals';
import { clientSuite } from './suite.js';

const CHAIN_ID = 8901;

let anvil: Anvil;
let gateway: GatewayProcess;
beforeAll(async () => {
  anvil = await startAnvil({ chainId: CHAIN_ID });
  gateway = await startGateway({
    BACKEND: 'upstream',
    UPSTREAM_URLS: anvil.url,
    CHAIN_ID: String(CHAIN_ID),
  });
});
afterAll(async () => {
  await gateway?.stop();
  await anvil?.stop();
});

clientSuite('clients of a gateway before a node', () => ({
  httpUrl: gateway.httpUrl,
  wsUrl: gateway.wsUrl,
  privateKey: testKey(0),
  chainId: CHAIN_ID,
  blockTimeMs: 0,
}));
