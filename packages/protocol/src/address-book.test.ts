import { describe, expect, it } from '@jest/globals';
import { zeroAddress, type Address } from 'viem';
import { ASSETS } from './assets.js';
import { assetOfToken, tokenOfAsset } from './address-book.js';

const at = (digit: string): Address => `0x${digit.repeat(40)}`;
const book = {
  environment: 'local' as const,
  ethereum: { chainId: 1, bridgeLock: at('1'), tokens: { USDC: at('2'), XCN: at('3') }, deployedAtBlock: 0 },
  partner: {
    chainId: 2,
    bridgeMint: at('4'),
    tokens: { ETH: at('5'), USDC: at('6') },
    deployedAtBlock: 0,
    nativeUnit: '1',
  },
  relayer: at('7'),
};

describe('tokens and assets', () => {
  it('the native coin is the zero address: ETH on Ethereum, XCN on the partner chain', () => {
    expect(tokenOfAsset(book, 'ethereum', 'ETH')).toBe(zeroAddress);
    expect(tokenOfAsset(book, 'partner', 'XCN')).toBe(zeroAddress);
  });

  it.each(['ethereum', 'partner'] as const)('every asset has one token on %s, and each token one asset', (side) => {
    for (const asset of ASSETS) expect(assetOfToken(book, side, tokenOfAsset(book, side, asset))).toBe(asset);
    expect(assetOfToken(book, side, at('9'))).toBeNull();
  });

  it('takes an address in any case', () => {
    const mixed = { ...book, ethereum: { ...book.ethereum, tokens: { USDC: at('a'), XCN: at('b') } } };
    expect(assetOfToken(mixed, 'ethereum', at('A'))).toBe('USDC');
  });
});
