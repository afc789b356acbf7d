import { describe, expect, it } from '@jest/globals';
import { pad } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { ask } from '../processes/ask.js';
import { ANVIL_KEY } from '../processes/start-anvil.js';
import { openEmbeddedGateway } from './open-embedded-gateway.js';

describe('What a transfer to a new account costs', () => {
  it.each([
    [{}, 587_000],
    [{ LAZY_ACCOUNT_GAS: '100000' }, 121_000],
    [{ LAZY_ACCOUNT_GAS: '0' }, 21_000],
  ])('is told alike by the fee schedule and by an estimate, with %j', async (variables, gas) => {
    const { httpUrl, close } = await openEmbeddedGateway(variables);
    try {
      const schedule = (await ask(httpUrl, 'partner_getFeeSchedule')) as { gasLimits: Record<string, string> };
      const transfer = { from: privateKeyToAddress(ANVIL_KEY), to: pad('0x5e1f', { size: 20 }), value: '0x2540be400' };
      const estimate = await ask(httpUrl, 'eth_estimateGas', [transfer]);
      expect([Number(schedule.gasLimits['newAccountTransfer']), Number(estimate)]).toEqual([gas, gas]);
      expect(Number(schedule.gasLimits['simpleTransfer'])).toBe(21_000);
    } finally {
      await close();
    }
  });
});
