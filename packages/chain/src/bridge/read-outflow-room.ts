import { ASSETS, tokenOfAsset, type AddressBook, type Asset, type Side } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import type { PublicClient } from 'viem';

/** How much of every asset may leave a side's contract now, in atomic units. */
export async function readOutflowRoom(
  client: PublicClient,
  book: AddressBook,
  side: Side,
): Promise<Record<Asset, bigint>> {
  const address = side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
  const entries = await Promise.all(
    ASSETS.map(async (asset) => {
      const args = [tokenOfAsset(book, side, asset)] as const;
      // Both contracts have this function from the same base.
      return [
        asset,
        await client.readContract({ address, abi: bridgeLockAbi, functionName: 'outflowRoom', args }),
      ] as const;
    }),
  );
  return Object.fromEntries(entries) as Record<Asset, bigint>;
}
