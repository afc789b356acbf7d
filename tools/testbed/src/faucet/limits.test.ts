import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { zeroAddress, type Address } from 'viem';
import type { FaucetAsset } from './configuration.js';
import { DripLimits } from './limits.js';

const ETH: FaucetAsset = {
  chain: 'ethereum',
  asset: 'ETH',
  token: zeroAddress,
  decimals: 18,
  amount: 2n,
  mostPerDay: 21n,
};
const XCN: FaucetAsset = { ...ETH, asset: 'XCN' };
const PARTNER_XCN: FaucetAsset = { ...XCN, chain: 'partner' };
const CLIENT = { key: '192.0.2.1', isExempt: false };

const addressAt = (index: number): Address => `0x${index.toString(16).padStart(40, 'a')}`;
const create = (dripsPerClient = 0) =>
  new DripLimits({ assets: [ETH, XCN, PARTNER_XCN], windowSeconds: 100, dripsPerClient });

beforeEach(() => void jest.useFakeTimers({ now: 0 }));
afterEach(() => void jest.useRealTimers());

describe('the limits of the faucet', () => {
  it('allow one drip for each chain, asset and address, however the address is written', async () => {
    const limits = create();
    const address = addressAt(1);
    for (const asset of [ETH, XCN, PARTNER_XCN]) {
      await limits.take(asset, address, CLIENT);
      const upper = `0x${address.slice(2).toUpperCase()}` as const;
      await expect(limits.take(asset, upper, CLIENT)).rejects.toMatchObject({
        code: 'LIMIT_REACHED',
        status: 429,
        retryAfterSeconds: 100,
      });
    }
    await limits.take(ETH, addressAt(2), CLIENT);
  });

  it('reset at the end of the window', async () => {
    const limits = create(1);
    await limits.take(ETH, addressAt(1), CLIENT);
    jest.setSystemTime(99_001);
    await expect(limits.take(ETH, addressAt(1), CLIENT)).rejects.toMatchObject({ retryAfterSeconds: 1 });
    jest.setSystemTime(100_000);
    await limits.take(ETH, addressAt(1), CLIENT);
  });

  it('allow several drips for a client, and any number for an exempt one', async () => {
    const limits = create(2);
    await limits.take(ETH, addressAt(1), CLIENT);
    await limits.take(XCN, addressAt(2), CLIENT);
    await expect(limits.take(ETH, addressAt(3), CLIENT)).rejects.toThrow(/a client is 2 drips in 100 s/);
    await limits.take(ETH, addressAt(3), { key: '192.0.2.2', isExempt: false });
    await limits.take(ETH, addressAt(4), { ...CLIENT, isExempt: true });
  });

  it('cap the daily total of an asset, also for exempt clients', async () => {
    const limits = create();
    const exempt = { ...CLIENT, isExempt: true };
    for (let index = 0; index < 10; index += 1) await limits.take(ETH, addressAt(index), exempt);
    const refused = limits.take(ETH, addressAt(10), exempt);
    await expect(refused).rejects.toMatchObject({ code: 'LIMIT_REACHED', retryAfterSeconds: 86_400 });
    await limits.take(XCN, addressAt(10), exempt);
  });

  it('do not count drips that were not sent or were refused', async () => {
    const limits = create(1);
    const giveBack = await limits.take(ETH, addressAt(1), CLIENT);
    for (let attempt = 0; attempt < 5; attempt += 1)
      await expect(limits.take(ETH, addressAt(2), CLIENT)).rejects.toThrow('a client is 1 drip');
    await giveBack();
    await limits.take(ETH, addressAt(1), CLIENT);
  });
});
