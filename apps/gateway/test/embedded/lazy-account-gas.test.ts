import { testKey } from '@causeway/test-kit';
import { describe, expect, it } from '@jest/globals';
import { pad } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { startEmbeddedGateway } from '../setup/gateway.js';
import { rpc } from '../setup/rpc.js';

describe('The gas of a transfer to a new account', () => {
  it.each([
    [{}, 587_000],
    [{ LAZY_ACCOUNT_GAS: '100000' }, 121_000],
    [{ LAZY_ACCOUNT_GAS: '0' }, 21_000],
  ])('is the same in the fee schedule and in an estimate, with %j', async (variables, gas) => {
    const { httpUrl, stop } = await startEmbeddedGateway(variables);
    try {
      const schedule = (await rpc(httpUrl, 'partner_getFeeSchedule')) as { gasLimits: Record<string, string> };
      const transfer = { from: privateKeyToAddress(testKey(0)), to: pad('0x5e1f', { size: 20 }), value: '0x2540be400' };
      const estimate = await rpc(httpUrl, 'eth_estimateGas', [transfer]);
      expect([Number(schedule.gasLimits['newAccountTransfer']), Number(estimate)]).toEqual([gas, gas]);
      expect(Number(schedule.gasLimits['simpleTransfer'])).toBe(21_000);
    } finally {
      await stop();
    }
  });
});
