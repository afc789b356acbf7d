import { expect, it } from '@jest/globals';
import { chainProfile, ENVIRONMENTS } from '@causeway/protocol';
import { describeChain } from './chain-name.js';

it('each chain of the bridge has a name', () => {
  for (const environment of ENVIRONMENTS) {
    const { ethereumChainId, partnerChainId } = chainProfile(environment);
    expect(describeChain(ethereumChainId)).toMatch(/^(Ethereum|Sepolia|the local Ethereum) \(chain \d+\)$/);
    expect(describeChain(partnerChainId)).toBe(`the partner chain (chain ${partnerChainId})`);
  }
  expect(describeChain(10)).toBe('chain 10');
});
