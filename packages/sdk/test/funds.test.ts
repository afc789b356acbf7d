import { describe, expect, it } from '@jest/globals';
import { parseEther, toHex } from 'viem';
import { planDeposit, readFunds } from '../src/index.js';
import { makeAnswer, startApi } from './api-server.js';
import { CONFIG, DEPOSIT, makeWallet, onPartner, RECIPIENT, WITHDRAW_XCN } from './checked-transfer.js';

const GAS_OF_DEPOSIT = 180_000_000_000_000n;

async function withApi<T>(routes: object, use: (api: Awaited<ReturnType<typeof startApi>>) => Promise<T>): Promise<T> {
  const api = await startApi({ 'bridge/config': CONFIG, ...routes });
  try {
    return await use(api);
  } finally {
    await api.close();
  }
}

describe('the funds of an account', () => {
  it('leave the gas of a coin, in multiples of its granularity', async () => {
    await withApi({}, async ({ bridge }) => {
      const funds = await readFunds(bridge, makeWallet().wallet, DEPOSIT);
      expect(funds.most).toBe(parseEther('10') - funds.gasFee);
      expect(funds.gasFee).toBe(GAS_OF_DEPOSIT);
      const { most, gasFee } = await readFunds(bridge, makeWallet(onPartner).wallet, WITHDRAW_XCN);
      expect(most % 10n ** 10n).toBe(0n);
      expect(parseEther('10000') - gasFee - most).toBeLessThan(10n ** 10n);
      const poor = makeWallet({ balance: 1n });
      expect(await readFunds(bridge, poor.wallet, DEPOSIT)).toMatchObject({ balance: 1n, most: 0n });
    });
  });

  it('are the whole balance of a token', async () => {
    const { wallet } = makeWallet({ answers: { eth_call: toHex(25_000_000n, { size: 32 }) } });
    await withApi({}, async ({ bridge }) =>
      expect(await readFunds(bridge, wallet, { ...DEPOSIT, asset: 'USDC' })).toMatchObject({
        balance: 25_000_000n,
        most: 25_000_000n,
      }),
    );
  });

  it('are not read from a node of another chain', async () => {
    await withApi({}, async ({ bridge }) =>
      expect(readFunds(bridge, makeWallet({ chainId: 1 }).wallet, DEPOSIT)).rejects.toThrow('is on Ethereum'),
    );
  });
});

describe('the steps of a deposit', () => {
  it('are one transaction for a coin, and an approval first for a token without signatures', async () => {
    const { wallet } = makeWallet();
    const terms = { asset: 'ETH', amount: 1n, recipient: RECIPIENT };
    await withApi(
      { 'bridge/transactions': makeAnswer('writeTransactions', { bySignature: [] }) },
      async ({ bridge }) => {
        const list = async (asset: string) =>
          (await planDeposit(bridge, wallet, { ...terms, asset })).map((step) =>
            'what' in step ? step.what : step.step,
          );
        expect(await list('ETH')).toEqual(['transfer']);
        expect(await list('USDC')).toEqual(['approval', 'transfer']);
      },
    );
  });
});
