import type { AddressBook } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Address, PublicClient } from 'viem';

/** The relayer wallet as each contract has it now: after a rotation an address book may still name the one before. */
export async function readRelayers(
  clients: { readonly ethereum: PublicClient; readonly partner: PublicClient },
  book: AddressBook,
): Promise<{ readonly ethereum: Address; readonly partner: Address }> {
  const [ethereum, partner] = await Promise.all([
    clients.ethereum.readContract({ address: book.ethereum.bridgeLock, abi: bridgeLockAbi, functionName: 'relayer' }),
    clients.partner.readContract({ address: book.partner.bridgeMint, abi: bridgeMintAbi, functionName: 'relayer' }),
  ]);
  return { ethereum, partner };
}
