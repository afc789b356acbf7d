import { definePartnerChain } from '@causeway/protocol';
import { type GatewayProcess, testKey } from '@causeway/test-kit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createPublicClient, http, zeroAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { Web3 } from 'web3';
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

it('viem reads the same balances through Multicall3', async () => {
  const chain = definePartnerChain({ environment: 'testnet', rpcUrl: gateway.httpUrl });
  const requests: Promise<string>[] = [];
  const onFetchRequest = (request: Request) => void requests.push(request.clone().text());
  const plain = createPublicClient({ chain, transport: http() });
  const batching = createPublicClient({
    chain,
    transport: http(undefined, { onFetchRequest }),
    batch: { multicall: true },
  });
  const owners = [privateKeyToAddress(testKey(5)), privateKeyToAddress(testKey(6)), zeroAddress];
  const balances = await Promise.all(owners.map((address) => plain.getBalance({ address })));
  expect(balances[0]).toBeGreaterThan(10n ** 18n);
  expect(await Promise.all(owners.map((address) => batching.getBalance({ address })))).toEqual(balances);
  expect(requests).toHaveLength(1);
  expect(await requests[0]).toContain('"eth_call"');
});

it('web3.js can ask about peers, mining and its account', async () => {
  const { eth } = new Web3(gateway.httpUrl);
  expect([await eth.net.isListening(), await eth.net.getPeerCount()]).toEqual([true, 0n]);
  expect([await eth.isMining(), await eth.getHashrate()]).toEqual([false, 0n]);
  expect(await eth.getCoinbase()).toBe('0x00000000000000000000000000000000000fee00');
});
