import { describe, expect, it } from '@jest/globals';
import type { AddressBook } from '@causeway/protocol';
import type { Address } from 'viem';
import { assertCurrentRelayer, type BridgeChains } from './bridge-chain.js';

const CURRENT = '0x00000000000000000000000000000000000000Aa';
const FORMER = '0x00000000000000000000000000000000000000Bb';

const chainWith = (relayer: Address) => ({ connection: { client: { readContract: async () => relayer } } });
const book = {
  relayer: CURRENT.toLowerCase(),
  ethereum: { bridgeLock: '0x01' },
  partner: { bridgeMint: '0x02' },
} as unknown as AddressBook;
const assert = (ethereum: Address, partner: Address) =>
  assertCurrentRelayer({ ethereum: chainWith(ethereum), partner: chainWith(partner) } as unknown as BridgeChains, book);

describe('assertCurrentRelayer', () => {
  it('accepts the wallet of the address book when both contracts have it', async () => {
    await expect(assert(CURRENT, CURRENT)).resolves.toBeUndefined();
  });

  it('names the contract that has another wallet', async () => {
    await expect(assert(FORMER, CURRENT)).rejects.toThrow(`bridge on ethereum is ${FORMER}`);
    await expect(assert(CURRENT, FORMER)).rejects.toThrow(`bridge on partner is ${FORMER}`);
  });
});
