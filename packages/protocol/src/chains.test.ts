import { describe, expect, it } from '@jest/globals';
import { getToken } from '@causeway/contracts/address-book';
import { zeroAddress, type Address } from 'viem';
import { mainnet, sepolia } from 'viem/chains';
import { listAssets } from './assets.js';
import {
  chainProfile,
  confirmations,
  defineEthereumChain,
  definePartnerChain,
  estimateSeconds,
  findAssetByToken,
  KNOWN_CHAIN_IDS,
} from './chains.js';

describe('chainProfile', () => {
  it('has the chains and the figures of the specification', () => {
    expect(chainProfile('mainnet')).toMatchObject({ ethereumChainId: 1, partnerChainId: 327, holdSeconds: 3_600 });
    expect(chainProfile('testnet')).toMatchObject({ ethereumChainId: 11_155_111, partnerChainId: 8_901 });
    expect(chainProfile('local')).toMatchObject({
      ethereumChainId: 31_337,
      requiredConfirmations: { ethereum: 12, partner: 6 },
    });
    expect([...KNOWN_CHAIN_IDS].toSorted((a, b) => a - b)).toEqual([1, 327, 8_901, 31_337, 11_155_111]);
  });
});

describe('definePartnerChain', () => {
  const rpcUrl = 'https://rpc.example';

  it.each([
    ['mainnet', 327, false],
    ['testnet', 8_901, true],
    ['local', 8_901, true],
  ] as const)('%s: id %i, a test network: %s', (environment, id, testnet) => {
    expect(definePartnerChain({ environment, rpcUrl })).toMatchObject({
      id,
      testnet,
      name: chainProfile(environment).chainNames.partner,
      nativeCurrency: { symbol: 'XCN', decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } },
      contracts: { multicall3: { address: mainnet.contracts.multicall3.address } },
      blockTime: 2_000,
    });
  });

  it('has a WebSocket where one is given', () => {
    const { rpcUrls } = definePartnerChain({ environment: 'testnet', rpcUrl, webSocketUrl: 'wss://rpc.example' });
    expect(rpcUrls).toEqual({ default: { http: [rpcUrl], webSocket: ['wss://rpc.example'] } });
    expect(definePartnerChain({ environment: 'testnet', rpcUrl }).rpcUrls.default).not.toHaveProperty('webSocket');
  });
});

describe('defineEthereumChain', () => {
  it.each([
    ['mainnet', mainnet],
    ['testnet', sepolia],
  ] as const)('%s: like that of viem, with the given node', (environment, { id, nativeCurrency, contracts }) => {
    const chain = defineEthereumChain({ environment, rpcUrl: 'https://rpc.example' });
    expect(chain).toMatchObject({
      id,
      testnet: environment === 'testnet',
      nativeCurrency: { symbol: nativeCurrency.symbol, decimals: 18 },
      rpcUrls: { default: { http: ['https://rpc.example'] } },
      contracts: { multicall3: { address: contracts.multicall3.address } },
    });
  });

  it('local: has no Multicall3', () => {
    expect(defineEthereumChain({ environment: 'local', rpcUrl: 'http://127.0.0.1:8545' })).toMatchObject({
      id: 31_337,
      contracts: {},
    });
  });
});

describe('confirmations', () => {
  it.each([
    [10n, 10n, 1],
    [21n, 10n, 12],
    [9n, 10n, 0],
    [0n, 10n, 0],
  ])('at head %i, block %i has %i', (head, block, count) => {
    expect(confirmations(head, block)).toBe(count);
  });
});

describe('estimateSeconds', () => {
  it('adds finality of both chains, and the hold of withdrawals', () => {
    const timing = {
      ethereumConfirmations: 12,
      partnerConfirmations: 6,
      holdSeconds: 3_600,
      blockSeconds: { ethereum: 12, partner: 2 },
    };
    expect(estimateSeconds('ETHEREUM_TO_PARTNER', timing)).toBe(156);
    expect(estimateSeconds('PARTNER_TO_ETHEREUM', timing)).toBe(3_756);
  });
});

const at = (digit: string): Address => `0x${digit.repeat(40)}`;
const book = {
  environment: 'local' as const,
  ethereum: {
    chainId: 1,
    bridgeLock: at('1'),
    sentinel: at('8'),
    tokens: { USDC: at('2'), XCN: at('3') },
    deployedAtBlock: 0,
  },
  partner: {
    chainId: 2,
    bridgeMint: at('4'),
    sentinel: at('8'),
    tokens: { ETH: at('5'), USDC: at('6') },
    deployedAtBlock: 0,
    nativeUnit: '1',
  },
  relayer: at('7'),
};

describe('tokens and assets', () => {
  it('the native coin is the zero address: ETH on Ethereum, XCN on the partner chain', () => {
    expect(getToken(book, 'ethereum', 'ETH')).toBe(zeroAddress);
    expect(getToken(book, 'partner', 'XCN')).toBe(zeroAddress);
  });

  it.each(['ethereum', 'partner'] as const)('every asset has one token on %s, and each token one asset', (side) => {
    for (const asset of listAssets()) expect(findAssetByToken(book, side, getToken(book, side, asset))).toBe(asset);
    expect(findAssetByToken(book, side, at('9'))).toBeNull();
  });

  it('takes an address in any case', () => {
    const mixed = { ...book, ethereum: { ...book.ethereum, tokens: { USDC: at('a'), XCN: at('b') } } };
    expect(findAssetByToken(mixed, 'ethereum', at('A'))).toBe('USDC');
  });
});
