import { afterAll, beforeAll } from '@jest/globals';
import { openTestGateway, type TestGateway } from '../processes/open-test-gateway.js';
import { ANVIL_KEY, startAnvil, type Anvil } from '../processes/start-anvil.js';
import { clientSuite } from './suite.js';

const CHAIN_ID = 8901;

let anvil: Anvil;
let gateway: TestGateway;
beforeAll(async () => {
  anvil = await startAnvil(['--chain-id', String(CHAIN_ID)]);
  gateway = await openTestGateway({
    BACKEND: 'upstream',
    UPSTREAM_URLS: anvil.url,
    CHAIN_ID: String(CHAIN_ID),
  });
});
afterAll(async () => {
  await gateway?.close();
  await anvil?.kill();
});

clientSuite('clients of a gateway before a node', () => ({
  httpUrl: gateway.httpUrl,
  wsUrl: gateway.wsUrl,
  privateKey: ANVIL_KEY,
  chainId: CHAIN_ID,
  blockTimeMs: 0,
}));
