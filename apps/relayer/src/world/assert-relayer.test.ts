import { describe, expect, it } from '@jest/globals';
import type { AddressBook } from '@causeway/protocol';
import type { Address } from 'viem';
import { assertRelayer } from './assert-relayer.js';
import type { BridgeChains } from './bridge-chain.js';

const PRESENT = '0x00000000000000000000000000000000000000Aa';
const FORMER = '0x00000000000000000000000000000000000000Bb';

const chainWith = (relayer: Address) => ({ connection: { client: { readContract: async () => relayer } } });
const book = {
  relayer: PRESENT.toLowerCase(),
  ethereum: { bridgeLock: '0x01' },
  partner: { bridgeMint: '0x02' },
} as unknown as AddressBook;
const assert = (ethereum: Address, partner: Address) =>
  assertRelayer({ ethereum: chainWith(ethereum), partner: chainWith(partner) } as unknown as BridgeChains, book);

describe('assertRelayer', () => {
  it('is content when both contracts have the wallet of the address book', async () => {
    await expect(assert(PRESENT, PRESENT)).resolves.toBeUndefined();
  });

  it('names the contract that has another one', async () => {
    await expect(assert(FORMER, PRESENT)).rejects.toThrow(`bridge on ethereum is ${FORMER}`);
    await expect(assert(PRESENT, FORMER)).rejects.toThrow(`bridge on partner is ${FORMER}`);
  });
});
