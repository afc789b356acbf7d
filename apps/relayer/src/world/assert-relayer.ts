import { readRelayers } from '@causeway/chain';
import type { AddressBook } from '@causeway/protocol';
import { isAddressEqual } from 'viem';
import type { BridgeChains } from './bridge-chain.js';

/**
 * Compares the relayer wallet of the address book with the one of each contract. They differ after a rotation, until the book is replaced.
 *
 * @throws Error naming the contract and both wallets.
 */
export async function assertRelayer({ ethereum, partner }: BridgeChains, book: AddressBook): Promise<void> {
  const clients = { ethereum: ethereum.connection.client, partner: partner.connection.client };
  const relayers = await readRelayers(clients, book);
  for (const side of ['ethereum', 'partner'] as const) {
    if (isAddressEqual(relayers[side], book.relayer)) continue;
    throw new Error(
      `The relayer of the bridge on ${side} is ${relayers[side]}, but the address book names ${book.relayer}: give ADDRESS_BOOK the present one`,
    );
  }
}
