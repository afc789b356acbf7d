import { afterAll, beforeAll } from '@jest/globals';
import { openEmbeddedGateway, type EmbeddedGateway } from '../embedded/open-embedded-gateway.js';
import { ANVIL_KEY } from '../processes/start-anvil.js';
import { clientSuite } from './suite.js';

let gateway: EmbeddedGateway;
beforeAll(async () => {
  gateway = await openEmbeddedGateway();
});
afterAll(() => gateway?.close());

clientSuite('clients of a gateway before the embedded chain', () => ({
  httpUrl: gateway.httpUrl,
  wsUrl: gateway.wsUrl,
  privateKey: ANVIL_KEY,
  chainId: 8901,
  blockTimeMs: 0,
}));
