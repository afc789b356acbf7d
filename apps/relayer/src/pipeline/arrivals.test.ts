import { describe, expect, it } from '@jest/globals';
import { assetInfo, DEFAULT_FEE_POLICIES } from '@causeway/protocol';
import { aTransfer } from '@causeway/store/test';
import { anAddress } from '@causeway/test-kit';
import fc from 'fast-check';
import { receiver, separateDust } from './arrivals.js';

describe('receiver', () => {
  it('recognizes a former wallet', () => {
    const book = { relayer: anAddress('relayer') };
    expect(receiver(anAddress('relayer'), book)).toEqual({ wallet: anAddress('relayer'), isToFormerWallet: false });
    expect(receiver(anAddress('former'), book)).toMatchObject({ isToFormerWallet: true });
  });
});

describe('separateDust', () => {
  it('sums arrivals below the dust limit of their asset, per payer', () => {
    const [one, other] = [anAddress(), anAddress()];
    const { dust: least } = assetInfo('XCN');
    const kept = aTransfer({ payer: one, amount: least });
    const arrivals = [
      kept,
      aTransfer({ payer: one, amount: least - 1n }),
      aTransfer({ payer: one, amount: 1n }),
      aTransfer({ payer: other, amount: 2n }),
      aTransfer({ payer: one, amount: 3n, asset: 'USDC' }),
    ];
    const wallet = anAddress('relayer');
    expect(separateDust(arrivals)).toEqual({
      transfers: [kept],
      dust: [
        { wallet, asset: 'XCN', payer: one, amount: least, transfers: 2 },
        { wallet, asset: 'XCN', payer: other, amount: 2n, transfers: 1 },
        { wallet, asset: 'USDC', payer: one, amount: 3n, transfers: 1 },
      ],
    });
  });

  it('loses nothing', () => {
    const amount = fc.bigInt({ min: 1n, max: 2n * assetInfo('XCN').dust });
    fc.assert(
      fc.property(fc.array(fc.record({ amount, payer: fc.constantFrom(anAddress('a'), anAddress('b')) })), (sent) => {
        const { transfers, dust } = separateDust(sent.map((over) => aTransfer(over)));
        const sum = (parts: readonly { readonly amount: bigint }[]) =>
          parts.reduce((all, part) => all + part.amount, 0n);
        expect(sum(transfers) + sum(dust)).toBe(sum(sent));
        expect(transfers.length + dust.reduce((count, part) => count + part.transfers, 0)).toBe(sent.length);
      }),
    );
  });

  it('is far below the minimum amount of an intent', () => {
    for (const asset of ['ETH', 'USDC', 'XCN'] as const)
      expect(assetInfo(asset).dust * 100n).toBeLessThan(DEFAULT_FEE_POLICIES[asset].minAmount);
  });
});
