import { describe, expect, it } from '@jest/globals';
import { WrongChainError } from '@causeway/chain';
import type { AddressBook } from '@causeway/protocol';
import type { Address } from 'viem';
import { checkChains, OutdatedRelayerError, type BridgeChains } from './bridge-chain.js';

const CURRENT = '0x00000000000000000000000000000000000000Aa';
const FORMER = '0x00000000000000000000000000000000000000Bb';
const book = {
  relayer: CURRENT.toLowerCase(),
  ethereum: { bridgeLock: '0x01' },
  partner: { bridgeMint: '0x02' },
} as unknown as AddressBook;

const never = new Promise<never>(() => undefined);
const chain = (side: string, relayer: Address | Promise<never>, ready: Promise<unknown> = Promise.resolve()) => ({
  side,
  finality: { head: async () => 7n },
  connection: {
    ready: () => ready,
    agree: (read: (client: object) => Promise<Address>) => read({ readContract: async () => relayer }),
  },
});
const check = (ethereum: object, partner: object) =>
  checkChains({ ethereum, partner } as unknown as BridgeChains, book);

describe('checkChains', () => {
  it('accepts the wallet of the address book when both contracts name it', async () => {
    await expect(check(chain('ethereum', CURRENT), chain('partner', CURRENT))).resolves.toBeUndefined();
  });

  it.each([
    ['ethereum', check(chain('ethereum', FORMER), chain('partner', never))],
    ['partner', check(chain('ethereum', CURRENT, never), chain('partner', FORMER))],
  ])(
    'names the contract on %s if it has another wallet, while the other chain is unavailable',
    async (side, result) => {
      await expect(result).rejects.toThrow(OutdatedRelayerError);
      await expect(result).rejects.toThrow(`contract on ${side} names the relayer ${FORMER}`);
    },
  );

  it('names a node of another chain', async () => {
    const wrong = Promise.reject(new WrongChainError('node.example', 1, 2));
    await expect(check(chain('ethereum', CURRENT, wrong), chain('partner', CURRENT))).rejects.toThrow(
      'node.example is a node of chain 2',
    );
  });
});
