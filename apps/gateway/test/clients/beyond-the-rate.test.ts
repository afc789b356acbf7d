import { type GatewayProcess } from '@causeway/test-kit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FetchRequest, JsonRpcProvider } from 'ethers';
import { createPublicClient, http } from 'viem';
import { startEmbeddedGateway } from '../setup/gateway.js';
import { makeRecipient } from './target.js';

/**
 * More than one second's calls, but few enough that even on a busy machine none is refused four times, when viem gives
 * up.
 */
const READS = 150;

describe('a client that exceeds the rate', () => {
  let gateway: GatewayProcess;
  beforeEach(async () => {
    gateway = await startEmbeddedGateway({ RATE_LIMIT_PER_SECOND: '100' });
  });
  afterEach(async () => gateway.stop());
  const accounts = Array.from({ length: READS }, (_, index) => makeRecipient('rate', `${index}`));

  it('loses no read with viem and its defaults', async () => {
    const client = createPublicClient({ transport: http(gateway.httpUrl) });
    const balances = await Promise.all(accounts.map(async (address) => client.getBalance({ address })));
    expect(balances).toEqual(accounts.map(() => 0n));
  }, 60_000);

  it('loses no read with ethers, configured as in docs/chain/json-rpc.md', async () => {
    const request = new FetchRequest(gateway.httpUrl);
    request.retryFunc = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return true;
    };
    const provider = new JsonRpcProvider(request);
    const balances = await Promise.all(accounts.map(async (address) => provider.getBalance(address)));
    provider.destroy();
    expect(balances).toEqual(accounts.map(() => 0n));
  }, 60_000);
});
