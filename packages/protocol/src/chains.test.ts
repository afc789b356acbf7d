import { describe, expect, it } from '@jest/globals';
import { chainProfile, confirmations, estimateSeconds, KNOWN_CHAIN_IDS } from './chains.js';

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
