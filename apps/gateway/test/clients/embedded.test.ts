import { type GatewayProcess, testKey } from '@causeway/test-kit';
import { afterAll, beforeAll } from '@jest/globals';
import { startEmbeddedGateway } from '../setup/gateway.js';
import { clientSuite } from './suite.js';

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startEmbeddedGateway();
});
afterAll(() => gateway?.stop());

clientSuite('clients of a gateway before the embedded chain', () => ({
  httpUrl: gateway.httpUrl,
  wsUrl: gateway.wsUrl,
  privateKey: testKey(0),
  chainId: 8901,
  blockTimeMs: 0,
}));
