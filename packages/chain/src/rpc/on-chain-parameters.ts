import { ASSETS, tokenOfAsset, type AddressBook, type Asset, type FeePolicy, type Side } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Address, PublicClient } from 'viem';

/** Reads the current fee policies from BridgeMint, the only place where they are defined. */
export async function readFeePolicies(partner: PublicClient, book: AddressBook): Promise<Record<Asset, FeePolicy>> {
  return forEachAsset(async (asset) => {
    const [bps, minFee, minAmount] = await partner.readContract({
      address: book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'feePolicy',
      args: [tokenOfAsset(book, 'partner', asset)],
    });
    return { bps, minFee, minAmount };
  });
}

/** Reads how much of each asset the outflow limit of one side's contract allows now, in atomic units. */
export async function readOutflowRoom(
  client: PublicClient,
  book: AddressBook,
  side: Side,
): Promise<Record<Asset, bigint>> {
  const address = side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
  return forEachAsset((asset) => {
    const args = [tokenOfAsset(book, side, asset)] as const;
    // Both contracts inherit this function from the same base.
    return client.readContract({ address, abi: bridgeLockAbi, functionName: 'outflowRoom', args });
  });
}

/** Reads the current relayer wallet of each contract. After a rotation, an address book may name the previous one. */
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

async function forEachAsset<T>(read: (asset: Asset) => Promise<T>): Promise<Record<Asset, T>> {
  const entries = await Promise.all(ASSETS.map(async (asset) => [asset, await read(asset)] as const));
  return Object.fromEntries(entries) as Record<Asset, T>;
}
