import { startAnvil, testAccount } from '@causeway/test-kit';
import { describe, expect, it } from '@jest/globals';
import { zeroAddress } from 'viem';
import { readVerifiedBlock } from '../src/index.js';

describe('the headers of every fork', () => {
  it.each<[string, object]>([
    ['berlin', { baseFeePerGas: false, withdrawalsRoot: false, parentBeaconBlockRoot: false, requestsHash: false }],
    ['london', { baseFeePerGas: true, withdrawalsRoot: false, parentBeaconBlockRoot: false, requestsHash: false }],
    ['shanghai', { baseFeePerGas: true, withdrawalsRoot: true, parentBeaconBlockRoot: false, requestsHash: false }],
    ['cancun', { baseFeePerGas: true, withdrawalsRoot: true, parentBeaconBlockRoot: true, requestsHash: false }],
    ['prague', { baseFeePerGas: true, withdrawalsRoot: true, parentBeaconBlockRoot: true, requestsHash: true }],
    ['osaka', { baseFeePerGas: true, withdrawalsRoot: true, parentBeaconBlockRoot: true, requestsHash: true }],
  ])('of %s give their hash, with a payment in them', async (fork, fields) => {
    const anvil = await startAnvil({ manualMining: true, args: ['--hardfork', fork] });
    try {
      await anvil.wallet.sendTransaction({ to: zeroAddress, value: 1n, gas: 21_000n, type: 'legacy' });
      await anvil.test.mine({ blocks: 1 });
      const header = await anvil.client.request({ method: 'eth_getBlockByNumber', params: ['0x1', false] });
      const has = Object.fromEntries(Object.keys(fields).map((name) => [name, name in (header ?? {})]));
      expect(has).toEqual(fields);
      const block = await readVerifiedBlock(anvil.client, 1n, { contracts: [], receivers: [zeroAddress] });
      expect(block).toMatchObject({
        hash: header?.hash,
        transfers: [{ from: testAccount(0).address.toLowerCase(), value: 1n }],
      });
    } finally {
      await anvil.stop();
    }
  });
});
